import { Select, Switch, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api } from '../../app/api';
import { watchRequest } from '../../app/watched-requests';
import { ErrorPanel } from '../error-panel';
import { StorageSelect, useCloudStorages } from '../file-browser';
import { FormDialog } from '../form-dialog';
import { type ExchangeProps, locationOf, namesOf, useFormats, usualCloud } from './target';

/** Asks for a file of annotations; it is made in the background, to be downloaded or put into a cloud storage. */
export function ExportDialog({ target, opened, onClose }: ExchangeProps): ReactNode {
  const formats = useFormats(opened);
  const { data: storages = [] } = useCloudStorages(opened);
  const [format, setFormat] = useState<string | null>(null);
  const [withImages, setWithImages] = useState(false);
  const [filename, setFilename] = useState('');
  const [place, setPlace] = useState<number | null | undefined>();
  const cloud = place === undefined ? usualCloud(target.destination) : place;
  const options = namesOf(formats.data?.exporters);
  const chosen = format ?? options[0] ?? null;
  const ask = useMutation({
    mutationFn: async () => {
      const query = {
        format: chosen ?? '',
        save_images: withImages,
        ...locationOf(cloud),
        ...(filename.trim() === '' ? {} : { filename: filename.trim() }),
      };
      const path = `/api/${target.kind}s/{id}/dataset/export` as '/api/tasks/{id}/dataset/export';
      return unwrap(await api.POST(path, { params: { path: { id: target.id }, query: query as never } }));
    },
    onSuccess: ({ rq_id: id }) => {
      void watchRequest(id, `Export of ${target.name}`, 'The file is in the cloud storage.');
      onClose();
    },
  });
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={`Export ${target.name}`}
      action="Export"
      deed={ask}
      disabled={chosen === null}
    >
      {formats.error !== null && <ErrorPanel error={formats.error} onRetry={() => void formats.refetch()} />}
      <Select label="Format" data={options} value={chosen} onChange={setFormat} allowDeselect={false} data-autofocus />
      <Switch
        label="With the images"
        checked={withImages}
        onChange={(event) => setWithImages(event.currentTarget.checked)}
      />
      {storages.length > 0 && (
        <StorageSelect label="To" storages={storages} value={cloud} onChange={setPlace} none="A download" />
      )}
      <TextInput
        label="Name of the file"
        description="Left empty, the server names it."
        value={filename}
        onChange={(event) => setFilename(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
