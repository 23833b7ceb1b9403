import { FileInput, Select, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../app/api';
import { uploads, useUpload } from '../../app/uploads';
import { watchRequest } from '../../app/watched-requests';
import { ErrorPanel } from '../error-panel';
import { CloudFiles, StorageSelect, useCloudStorages } from '../file-browser';
import { FormDialog } from '../form-dialog';
import { type ExchangeProps, type ExchangeTarget, locationOf, namesOf, useFormats, defaultCloud } from './target';

const REPLACED = 'The annotations in the file replace all existing annotations.';
const TEXTS = {
  project: {
    title: 'Import dataset into',
    text: 'Creates a task in this project for each subset in the archive, with its images and annotations.',
  },
  task: { title: 'Import annotations into', text: REPLACED },
  job: { title: 'Import annotations into', text: REPLACED },
} as const;

const collectionOf = ({ kind, id }: ExchangeTarget): string =>
  `/api/${kind}s/${id}/${kind === 'project' ? 'dataset' : 'annotations'}/`;

/**
 * Imports annotations, or a dataset into a project, from this computer or from a cloud storage. Uploads continue while
 * other pages are open.
 */
export function ImportDialog({ target, opened, onClose }: ExchangeProps): ReactNode {
  const formats = useFormats(opened);
  const { data: storages = [] } = useCloudStorages(opened);
  const [format, setFormat] = useState<string | null>(null);
  const [file, setFile] = useState<File | null>(null);
  const [location, setLocation] = useState<number | null | undefined>();
  const [stored, setStored] = useState<string | null>(null);
  const cloud = location === undefined ? defaultCloud(target.source) : location;
  const key = `import into ${target.kind} ${target.id}`;
  const running = useUpload(key);
  const isBusy = running !== undefined && running.state !== 'done' && running.state !== 'failed';
  const importers = formats.data?.importers;
  const options = namesOf(importers, target);
  const selected = format ?? options[0] ?? '';
  const extensions = target.kind === 'project' ? 'ZIP' : importers?.find(({ name }) => name === selected)?.ext;
  const accepted = extensions?.split(',').map((extension) => `.${extension.trim().toLowerCase()}`) ?? [];
  const name = cloud === null ? (file?.name ?? null) : stored;
  const isInvalid = name !== null && !accepted.some((extension) => name.toLowerCase().endsWith(extension));
  const fileError = isInvalid ? `This format requires a file of type ${accepted.join(' or ')}.` : undefined;
  const importFile = useMutation({
    mutationFn: async () => {
      if (cloud !== null)
        await importFromCloud(target, { format: selected, filename: stored ?? '', ...locationOf(cloud) });
      else if (file !== null) send(target, key, file, selected);
    },
    onSuccess: () => {
      setFile(null);
      setStored(null);
      onClose();
    },
  });
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={`${TEXTS[target.kind].title} ${target.name}`}
      action="Import"
      mutation={importFile}
      disabled={name === null || selected === '' || isBusy || isInvalid}
    >
      <Text size="sm">{TEXTS[target.kind].text}</Text>
      {formats.error !== null && <ErrorPanel error={formats.error} onRetry={() => void formats.refetch()} />}
      <Select label="Format" data={options} value={selected} onChange={setFormat} allowDeselect={false} />
      {storages.length > 0 && (
        <StorageSelect
          label="Source"
          storages={storages}
          value={cloud}
          onChange={(id) => {
            setLocation(id);
            setStored(null);
          }}
          none="This computer"
        />
      )}
      {cloud === null ? (
        <FileInput
          label="File"
          required
          placeholder="Select a file"
          value={file}
          onChange={setFile}
          accept={accepted.join()}
          description={extensions === undefined ? undefined : `File type: ${extensions}`}
          error={fileError}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear file' }}
        />
      ) : (
        <CloudFiles
          storageId={cloud}
          selected={stored === null ? [] : [stored]}
          onChange={([path = null]) => setStored(path)}
          isSingle
        />
      )}
      {cloud !== null && fileError !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {fileError}
        </Text>
      )}
      {isBusy && (
        <Text size="sm" role="status">
          Another import is in progress. Wait until it is finished.
        </Text>
      )}
    </FormDialog>
  );
}

function send(target: ExchangeTarget, key: string, file: File, format: string): void {
  uploads.start({
    key,
    title: `Import into ${target.name}`,
    page: `/${target.kind}s/${target.id}`,
    purpose: 'import',
    collection: collectionOf(target),
    files: [{ name: file.name, data: file }],
    query: { format, filename: file.name, ...locationOf(null) },
  });
}

async function importFromCloud(target: ExchangeTarget, query: Readonly<Record<string, string>>): Promise<void> {
  const response = await api.send(`${collectionOf(target)}?${new URLSearchParams(query).toString()}`, {
    method: 'POST',
  });
  const { rq_id: id } = (await response.json()) as { readonly rq_id: string };
  void watchRequest(id, `Import into ${target.name}`, 'The file has been imported.');
}
