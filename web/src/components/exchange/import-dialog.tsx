import { Button, FileInput, Select, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { waitForRequest } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api, type ImportReport } from '../../app/api';
import { type Upload, uploads, useUpload } from '../../app/uploads';
import { watchRequest } from '../../app/watched-requests';
import { ErrorPanel } from '../error-panel';
import { CloudFiles, StorageSelect, useCloudStorages } from '../file-browser';
import { FormDialog } from '../form-dialog';
import { ImportReportView } from '../import-report';
import { UploadProgressPanel } from '../upload-progress';
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
  const [skips, setSkips] = useState(false);
  const check = useCheck(target);
  const request = { format: selected, skip_unmatched: String(skips) };
  const isReady = name !== null && selected !== '' && !isBusy && !isInvalid && !check.isPending;
  const close = (): void => {
    check.clear();
    onClose();
  };
  const importFile = useMutation({
    mutationFn: async () => {
      if (cloud !== null) await importFromCloud(target, { ...request, filename: stored ?? '', ...locationOf(cloud) });
      else if (file !== null) send(target, { key, purpose: 'import' }, file, request);
    },
    onSuccess: () => {
      setFile(null);
      setStored(null);
      close();
    },
  });
  const checkFile = (): void => check.start(cloud === null ? file : { cloud, filename: stored ?? '' }, selected);
  return (
    <FormDialog
      opened={opened}
      onClose={close}
      title={`${TEXTS[target.kind].title} ${target.name}`}
      action="Import"
      mutation={importFile}
      disabled={!isReady}
      extra={
        <Button variant="subtle" mr="auto" onClick={checkFile} loading={check.isPending} disabled={!isReady}>
          Check file
        </Button>
      }
    >
      <Text size="sm">{TEXTS[target.kind].text}</Text>
      {formats.error !== null && <ErrorPanel error={formats.error} onRetry={() => void formats.refetch()} />}
      <Select
        label="Format"
        data={options}
        value={selected}
        onChange={changing(check, setFormat)}
        allowDeselect={false}
      />
      {storages.length > 0 && (
        <StorageSelect
          label="Source"
          storages={storages}
          value={cloud}
          onChange={(id) => {
            check.clear();
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
          onChange={changing(check, setFile)}
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
          onChange={([path = null]) => changing(check, setStored)(path)}
          isSingle
        />
      )}
      {cloud !== null && fileError !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {fileError}
        </Text>
      )}
      <Switch
        label="Skip what does not match"
        description="Otherwise, nothing is imported if the file names frames or labels that do not exist."
        checked={skips}
        onChange={(event) => setSkips(event.currentTarget.checked)}
      />
      {check.upload !== undefined && check.upload.state !== 'done' && <UploadProgressPanel upload={check.upload} />}
      {check.error !== null && <ErrorPanel error={check.error} />}
      {check.report !== null && <ImportReportView report={check.report} />}
      {isBusy && (
        <Text size="sm" role="status">
          Another import is in progress. Wait until it is finished.
        </Text>
      )}
    </FormDialog>
  );
}

/** @returns a handler that also clears the report, because it does not apply any more */
const changing =
  <Value,>(check: Check, change: (value: Value) => void) =>
  (value: Value): void => {
    check.clear();
    change(value);
  };

interface StoredFile {
  readonly cloud: number;
  readonly filename: string;
}

/** A dry run of an import. */
interface Check {
  readonly isPending: boolean;
  readonly report: ImportReport | null;
  /** The upload of a file from this computer. */
  readonly upload: Upload | undefined;
  readonly error: unknown;
  start(file: File | StoredFile | null, format: string): void;
  clear(): void;
}

function useCheck(target: ExchangeTarget): Check {
  const key = `check for ${target.kind} ${target.id}`;
  const upload = useUpload(key);
  const inCloud = useMutation({
    mutationFn: async ({ query }: { readonly query: Readonly<Record<string, string>> }) =>
      (await waitForRequest(api, await post(target, query))).report ?? null,
  });
  const isSending = upload !== undefined && upload.state !== 'done' && upload.state !== 'failed';
  return {
    isPending: inCloud.isPending || isSending,
    report: (upload === undefined ? inCloud.data : upload.request?.report) ?? null,
    upload,
    error: inCloud.error,
    start(file, format) {
      const query = { format, dry_run: 'true' };
      if (file instanceof File) send(target, { key, purpose: 'check' }, file, query);
      else if (file !== null)
        inCloud.mutate({ query: { ...query, filename: file.filename, ...locationOf(file.cloud) } });
    },
    clear() {
      uploads.remove(key);
      inCloud.reset();
    },
  };
}

function send(
  target: ExchangeTarget,
  { key, purpose }: Pick<Upload, 'key' | 'purpose'>,
  file: File,
  query: Readonly<Record<string, string>>,
): void {
  uploads.start({
    key,
    title: `${purpose === 'check' ? 'Check for' : 'Import into'} ${target.name}`,
    page: `/${target.kind}s/${target.id}`,
    purpose,
    collection: collectionOf(target),
    files: [{ name: file.name, data: file }],
    query: { ...query, filename: file.name, ...locationOf(null) },
  });
}

async function importFromCloud(target: ExchangeTarget, query: Readonly<Record<string, string>>): Promise<void> {
  void watchRequest(await post(target, query), `Import into ${target.name}`, 'The file has been imported.');
}

/** @returns the id of the background request */
async function post(target: ExchangeTarget, query: Readonly<Record<string, string>>): Promise<string> {
  const response = await api.send(`${collectionOf(target)}?${new URLSearchParams(query).toString()}`, {
    method: 'POST',
  });
  return ((await response.json()) as { readonly rq_id: string }).rq_id;
}
