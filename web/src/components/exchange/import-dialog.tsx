import { FileInput, Select, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../app/api';
import { uploads, useUpload } from '../../app/uploads';
import { watchRequest } from '../../app/watched-requests';
import { ErrorPanel } from '../error-panel';
import { CloudFiles, StorageSelect, useCloudStorages } from '../file-browser';
import { FormDialog } from '../form-dialog';
import { type ExchangeProps, type ExchangeTarget, locationOf, namesOf, useFormats, usualCloud } from './target';

const REPLACED = 'The annotations of the file take the place of those that are there.';
const TEXTS = {
  project: {
    title: 'Import a dataset into',
    text: 'The images of the archive become new tasks of this project, one for each subset, with their annotations.',
  },
  task: { title: 'Import annotations into', text: REPLACED },
  job: { title: 'Import annotations into', text: REPLACED },
} as const;

const collectionOf = ({ kind, id }: ExchangeTarget): string =>
  `/api/${kind}s/${id}/${kind === 'project' ? 'dataset' : 'annotations'}/`;

/**
 * Takes a file of annotations, or a dataset for a project: from this computer, sent as uploads are while one looks at
 * something else, or from a cloud storage.
 */
export function ImportDialog({ target, opened, onClose }: ExchangeProps): ReactNode {
  const formats = useFormats(opened);
  const { data: storages = [] } = useCloudStorages(opened);
  const [format, setFormat] = useState<string | null>(null);
  const [file, setFile] = useState<File | null>(null);
  const [place, setPlace] = useState<number | null | undefined>();
  const [stored, setStored] = useState<string | null>(null);
  const cloud = place === undefined ? usualCloud(target.source) : place;
  const key = `import into ${target.kind} ${target.id}`;
  const running = useUpload(key);
  const isBusy = running !== undefined && running.state !== 'done' && running.state !== 'failed';
  const importers = formats.data?.importers;
  const options = namesOf(importers);
  const chosen = format ?? options[0] ?? '';
  const kinds = target.kind === 'project' ? 'ZIP' : importers?.find(({ name }) => name === chosen)?.ext;
  const accepted = kinds?.split(',').map((kind) => `.${kind.trim().toLowerCase()}`) ?? [];
  const name = cloud === null ? (file?.name ?? null) : stored;
  const isUnfit = name !== null && !accepted.some((ending) => name.toLowerCase().endsWith(ending));
  const refusal = isUnfit ? `This format takes files that end in ${accepted.join(' or ')}.` : undefined;
  const take = useMutation({
    mutationFn: async () => {
      if (cloud !== null) await takeFromCloud(target, { format: chosen, filename: stored ?? '', ...locationOf(cloud) });
      else if (file !== null) send(target, key, file, chosen);
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
      deed={take}
      disabled={name === null || chosen === '' || isBusy || isUnfit}
    >
      <Text size="sm">{TEXTS[target.kind].text}</Text>
      {formats.error !== null && <ErrorPanel error={formats.error} onRetry={() => void formats.refetch()} />}
      <Select label="Format" data={options} value={chosen} onChange={setFormat} allowDeselect={false} />
      {storages.length > 0 && (
        <StorageSelect
          label="From"
          storages={storages}
          value={cloud}
          onChange={(id) => {
            setPlace(id);
            setStored(null);
          }}
          none="This computer"
        />
      )}
      {cloud === null ? (
        <FileInput
          label="File"
          required
          placeholder="Choose a file"
          value={file}
          onChange={setFile}
          accept={accepted.join()}
          description={kinds === undefined ? undefined : `Of the kind ${kinds}`}
          error={refusal}
          clearable
          clearButtonProps={{ 'aria-label': 'Take the file away' }}
        />
      ) : (
        <CloudFiles
          storageId={cloud}
          chosen={stored === null ? [] : [stored]}
          onChange={([path = null]) => setStored(path)}
          isSingle
        />
      )}
      {cloud !== null && refusal !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {refusal}
        </Text>
      )}
      {isBusy && (
        <Text size="sm" role="status">
          Another file is being imported here. Wait for its end.
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

async function takeFromCloud(target: ExchangeTarget, query: Readonly<Record<string, string>>): Promise<void> {
  const answer = await api.send(`${collectionOf(target)}?${new URLSearchParams(query).toString()}`, { method: 'POST' });
  const { rq_id: id } = (await answer.json()) as { readonly rq_id: string };
  void watchRequest(id, `Import into ${target.name}`, 'The file has been imported.');
}
