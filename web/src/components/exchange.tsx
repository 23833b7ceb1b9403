import { Button, FileInput, Group, Modal, Progress, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { noProgress, sendResumably, unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api, type Format } from '../app/api';
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

const PIECE_BYTES = 8 * 2 ** 20;

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

/** Sends a file of annotations; what is there is replaced by it. */
export function ImportDialog({ target, opened, onClose }: DialogProps): ReactNode {
  const formats = useFormats(opened);
  const [format, setFormat] = useState<string | null>(null);
  const [file, setFile] = useState<File | null>(null);
  const [sent, setSent] = useState(0);
  const options = choices(formats.data?.importers);
  const chosen = format ?? options[0] ?? null;
  const send = useMutation({
    mutationFn: async () => (file === null || chosen === null ? null : sendAnnotations(target, file, chosen, setSent)),
    onSuccess: (id) => {
      if (id !== null) void watchRequest(id, `Import into ${target.name}`);
      setFile(null);
      setSent(0);
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate();
  };
  const ends = formats.data?.importers.find(({ name }) => name === chosen)?.ext;
  return (
    <Modal opened={opened} onClose={onClose} title={`Import annotations into ${target.name}`} centered>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">The annotations of the file take the place of those that are there.</Text>
          {formats.error !== null && <ErrorPanel error={formats.error} />}
          <Select label="Format" data={options} value={chosen} onChange={setFormat} allowDeselect={false} />
          <FileInput
            label="File"
            required
            placeholder="Choose a file"
            value={file}
            onChange={setFile}
            description={ends === undefined ? undefined : `Of the kind ${ends}`}
            clearable
            clearButtonProps={{ 'aria-label': 'Take the file away' }}
          />
          {send.isPending && file !== null && <Progress value={(100 * sent) / file.size} animated aria-label="Sent" />}
          {send.error !== null && <ErrorPanel error={send.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={send.isPending} disabled={file === null || chosen === null}>
              Import
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** @returns id of the request that reads the file */
async function sendAnnotations(
  target: ExchangeTarget,
  file: File,
  format: string,
  onSent: (bytes: number) => void,
): Promise<string> {
  const path = `/api/${target.kind}s/${target.id}/annotations/`;
  const query = new URLSearchParams({ format, filename: file.name });
  await api.send(`${path}?${query}`, { method: 'POST', headers: { 'Upload-Start': 'true' } });
  await sendResumably(api, path, { name: file.name, data: file }, noProgress(), {
    pieceBytes: PIECE_BYTES,
    onProgress: ({ offset }) => onSent(offset),
  });
  const answer = await api.send(`${path}?${query}`, { method: 'POST', headers: { 'Upload-Finish': 'true' } });
  return ((await answer.json()) as { rq_id: string }).rq_id;
}
