import { Alert, Button, FileInput, Select, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Format } from '../../app/api';
import { useUpload } from '../../app/uploads';
import { watchRequest } from '../../app/watched-requests';
import { ErrorPanel } from '../error-panel';
import { CloudFiles, StorageSelect, useCloudStorages } from '../file-browser';
import { FormDialog } from '../form-dialog';
import { ImportReportView, isIncomplete } from '../import-report';
import { UploadProgressPanel } from '../upload-progress';
import { type ImportSource, isGone, request, upload } from './import-requests';
import { defaultCloud, type ExchangeProps, type ExchangeTarget, namesOf, useFormats } from './target';
import { type ImportCheck, useImportCheck } from './use-import-check';

const REPLACED = 'The annotations in the file replace all existing annotations.';
const TEXTS = {
  project: {
    title: 'Import dataset into',
    text: 'Creates a task in this project for each subset in the archive, with its images and annotations.',
  },
  task: { title: 'Import annotations into', text: REPLACED },
  job: { title: 'Import annotations into', text: REPLACED },
} as const;

/** Files up to this size are uploaded and checked when they are selected; larger ones when the user asks for it. */
const CHECKED_BYTES = 64 * 2 ** 20;

/**
 * Imports annotations, or a dataset into a project, from this computer or from a cloud storage. The format is recognized
 * from the content of the file. Uploads continue while other pages are open.
 */
export function ImportDialog({ target, opened, onClose }: ExchangeProps): ReactNode {
  const formats = useFormats(opened);
  const { data: storages = [] } = useCloudStorages(opened);
  const [format, setFormat] = useState<string | null>(null);
  const [file, setFile] = useState<File | null>(null);
  const [location, setLocation] = useState<number | null | undefined>();
  const [stored, setStored] = useState<string | null>(null);
  const [skips, setSkips] = useState(false);
  const cloud = location === undefined ? defaultCloud(target.source) : location;
  const key = `import into ${target.kind} ${target.id}`;
  const running = useUpload(key);
  const isBusy = running !== undefined && running.state !== 'done' && running.state !== 'failed';
  const check = useImportCheck(target);
  const { report } = check;
  const importers = formats.data?.importers;
  const selected = format ?? report?.format ?? null;
  const source: ImportSource | null = cloud === null ? file : stored === null ? null : { cloud, filename: stored };
  const fileError = extensionFault(source, extensionsOf(target, importers));
  const isReady = source !== null && !isBusy && fileError === undefined && !check.isPending;
  const close = (): void => {
    check.clear();
    onClose();
  };
  const importFile = useMutation({
    mutationFn: async () => {
      if (source === null) return false;
      // A file that the server has is checked first. Others are uploaded while the user does something else.
      const checked = report ?? (check.has(source) ? await check.run(source, format) : null);
      const name = format ?? checked?.format ?? null;
      const isDecided = report !== null && isIncomplete(report);
      if (name === null || checked?.error != null || (checked !== null && isIncomplete(checked) && !isDecided))
        return false;
      const query = { format: name, skip_unmatched: String(skips), only_complete: String(!isDecided) };
      await start(target, { key, source, query, isThere: check.has(source) });
      return true;
    },
    onSuccess: (isStarted) => {
      if (!isStarted) return;
      setFile(null);
      setStored(null);
      setFormat(null);
      close();
    },
  });
  const select = (next: ImportSource | null): void => {
    check.clear();
    if (
      next instanceof File &&
      next.size <= CHECKED_BYTES &&
      extensionFault(next, extensionsOf(target, importers)) === undefined
    )
      void check.run(next, format);
  };
  return (
    <FormDialog
      opened={opened}
      onClose={close}
      title={`${TEXTS[target.kind].title} ${target.name}`}
      action={report !== null && isIncomplete(report) ? 'Import anyway' : 'Import'}
      mutation={importFile}
      disabled={!isReady || (selected === null && !check.has(source)) || report?.error != null}
      extra={
        <Button
          variant="subtle"
          mr="auto"
          onClick={() => source !== null && void check.run(source, format).catch(() => undefined)}
          loading={check.isPending}
          disabled={!isReady}
        >
          Check file
        </Button>
      }
    >
      <Text size="sm">{TEXTS[target.kind].text}</Text>
      {formats.error !== null && <ErrorPanel error={formats.error} onRetry={() => void formats.refetch()} />}
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
          onChange={(next) => {
            setFile(next);
            select(next);
          }}
          accept={extensionsOf(target, importers).join()}
          error={fileError}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear file' }}
        />
      ) : (
        <CloudFiles
          storageId={cloud}
          selected={stored === null ? [] : [stored]}
          onChange={([path = null]) => {
            setStored(path);
            check.clear();
          }}
          isSingle
        />
      )}
      {cloud !== null && fileError !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {fileError}
        </Text>
      )}
      <Select
        label="Format"
        data={namesOf(importers, target)}
        value={selected}
        placeholder="Recognized from the content of the file"
        onChange={(name) => {
          check.clear();
          setFormat(name);
        }}
        searchable
      />
      <Switch
        label="Skip what does not match"
        description="Otherwise, nothing is imported if the file names frames or labels that do not exist."
        checked={skips}
        onChange={(event) => setSkips(event.currentTarget.checked)}
      />
      <CheckResult check={check} format={format} />
      {isBusy && (
        <Text size="sm" role="status">
          Another import is in progress. Wait until it is finished.
        </Text>
      )}
    </FormDialog>
  );
}

/** The extensions that files of all formats have. */
function extensionsOf({ kind }: ExchangeTarget, importers: readonly Format[] = []): string[] {
  if (kind === 'project') return ['.zip'];
  const found = importers.flatMap(({ ext }) => ext.split(',').map((extension) => `.${extension.trim().toLowerCase()}`));
  return [...new Set(found)];
}

function extensionFault(source: ImportSource | null, extensions: readonly string[]): string | undefined {
  if (source === null || extensions.length === 0) return undefined;
  const name = (source instanceof File ? source.name : source.filename).toLowerCase();
  if (extensions.some((extension) => name.endsWith(extension))) return undefined;
  return `Select a file of type ${extensions.join(' or ')}.`;
}

interface Start {
  readonly key: string;
  readonly source: ImportSource;
  readonly query: Readonly<Record<string, string>>;
  /** Whether the server has the file. */
  readonly isThere: boolean;
}

async function start(target: ExchangeTarget, { key, source, query, isThere }: Start): Promise<void> {
  if (isThere) {
    try {
      const id = await request(target, source, query);
      void watchRequest(id, `Import into ${target.name}`, 'The file has been imported.');
      return;
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  if (source instanceof File) upload(target, { key, purpose: 'import' }, source, query);
}

interface CheckResultProps {
  readonly check: ImportCheck;
  /** That the user has selected. */
  readonly format: string | null;
}

function CheckResult({ check: { upload: sent, error, report }, format }: CheckResultProps): ReactNode {
  const [likely] = report?.formats ?? [];
  return (
    <>
      {sent !== undefined && sent.state !== 'done' && <UploadProgressPanel upload={sent} />}
      {error !== null && <ErrorPanel error={error} />}
      {report !== null && format !== null && likely !== undefined && !report.formats.includes(format) && (
        <Alert color="yellow">The content of the file looks like {likely}.</Alert>
      )}
      {report !== null && isIncomplete(report) && (
        <Alert color="yellow">Some parts of the file would not be imported. They are listed below.</Alert>
      )}
      {report !== null && <ImportReportView report={report} />}
    </>
  );
}
