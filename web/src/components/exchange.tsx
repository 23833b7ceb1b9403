import { Button, FileInput, Group, Modal, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api, type Format } from '../app/api';
import { uploads, useUpload } from '../app/uploads';
import { watchRequest } from '../app/watched-requests';
import { ErrorPanel } from './error-panel';

/** What annotations are taken from or put into. */
export interface ExchangeTarget {
  readonly kind: 'project' | 'task' | 'job';
  readonly id: number;
  readonly name: string;
}

interface DialogProps {
  readonly target: ExchangeTarget;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Formats of the server, in its order. */
function useFormats(enabled: boolean) {
  return useQuery({
    queryKey: ['formats'],
    queryFn: async () => unwrap(await api.GET('/api/server/annotation/formats')),
    staleTime: Infinity,
    enabled,
  });
}

const choices = (formats: readonly Format[] = []): string[] =>
  formats.flatMap(({ name, enabled }) => (enabled ? [name] : []));

/** Asks for a file of annotations; it is made in the background. */
export function ExportDialog({ target, opened, onClose }: DialogProps): ReactNode {
  const formats = useFormats(opened);
  const [format, setFormat] = useState<string | null>(null);
  const [withImages, setWithImages] = useState(false);
  const [filename, setFilename] = useState('');
  const options = choices(formats.data?.exporters);
  const chosen = format ?? options[0] ?? null;
  const ask = useMutation({
    mutationFn: async () => {
      const query = {
        format: chosen ?? '',
        save_images: withImages,
        ...(filename.trim() === '' ? {} : { filename: filename.trim() }),
      };
      const path = `/api/${target.kind}s/{id}/dataset/export` as '/api/tasks/{id}/dataset/export';
      return unwrap(await api.POST(path, { params: { path: { id: target.id }, query: query as never } }));
    },
    onSuccess: ({ rq_id: id }) => {
      void watchRequest(id, `Export of ${target.name}`);
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    ask.mutate();
  };
  return (
    <Modal opened={opened} onClose={onClose} title={`Export ${target.name}`} centered>
      <form onSubmit={submit}>
        <Stack>
          {formats.error !== null && <ErrorPanel error={formats.error} />}
          <Select
            label="Format"
            data={options}
            value={chosen}
            onChange={setFormat}
            allowDeselect={false}
            data-autofocus
          />
          <Switch
            label="With the images"
            checked={withImages}
            onChange={(event) => setWithImages(event.currentTarget.checked)}
          />
          <TextInput
            label="Name of the file"
            description="Left empty, the server names it."
            value={filename}
            onChange={(event) => setFilename(event.currentTarget.value)}
          />
          {ask.error !== null && <ErrorPanel error={ask.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={ask.isPending} disabled={chosen === null}>
              Export
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const IMPORT_TEXTS = {
  project: {
    title: 'Import a dataset into',
    text: 'The images of the archive become new tasks of this project, one for each subset, with their annotations.',
  },
  task: {
    title: 'Import annotations into',
    text: 'The annotations of the file take the place of those that are there.',
  },
  job: {
    title: 'Import annotations into',
    text: 'The annotations of the file take the place of those that are there.',
  },
} as const;

/** Takes a file of annotations, or a dataset for a project. It is sent as uploads are, while one looks at something else. */
export function ImportDialog({ target, opened, onClose }: DialogProps): ReactNode {
  const formats = useFormats(opened);
  const [format, setFormat] = useState<string | null>(null);
  const [file, setFile] = useState<File | null>(null);
  const key = `import into ${target.kind} ${target.id}`;
  const running = useUpload(key);
  const isBusy = running !== undefined && running.state !== 'done' && running.state !== 'failed';
  const importers = formats.data?.importers;
  const options = choices(importers);
  const chosen = format ?? options[0] ?? null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (file === null || chosen === null) return;
    uploads.start({
      key,
      title: `Import into ${target.name}`,
      page: `/${target.kind}s/${target.id}`,
      purpose: 'import',
      collection: `/api/${target.kind}s/${target.id}/${target.kind === 'project' ? 'dataset' : 'annotations'}/`,
      files: [{ name: file.name, data: file }],
      query: { format: chosen, filename: file.name },
    });
    setFile(null);
    onClose();
  };
  const kinds = target.kind === 'project' ? 'ZIP' : importers?.find(({ name }) => name === chosen)?.ext;
  const accepted = kinds?.split(',').map((kind) => `.${kind.trim().toLowerCase()}`) ?? [];
  const isUnfit = file !== null && !accepted.some((ending) => file.name.toLowerCase().endsWith(ending));
  const { title, text } = IMPORT_TEXTS[target.kind];
  return (
    <Modal opened={opened} onClose={onClose} title={`${title} ${target.name}`} centered>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{text}</Text>
          {formats.error !== null && <ErrorPanel error={formats.error} onRetry={() => void formats.refetch()} />}
          <Select label="Format" data={options} value={chosen} onChange={setFormat} allowDeselect={false} />
          <FileInput
            label="File"
            required
            placeholder="Choose a file"
            value={file}
            onChange={setFile}
            accept={accepted.join()}
            description={kinds === undefined ? undefined : `Of the kind ${kinds}`}
            error={isUnfit ? `This format takes files that end in ${accepted.join(' or ')}.` : undefined}
            clearable
            clearButtonProps={{ 'aria-label': 'Take the file away' }}
          />
          {isBusy && (
            <Text size="sm" role="status">
              Another file is being imported here. Wait for its end.
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={file === null || chosen === null || isBusy || isUnfit}>
              Import
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
