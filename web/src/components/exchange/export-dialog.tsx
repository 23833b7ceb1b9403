import { Select, Switch, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api } from '../../app/api';
import { watchRequest } from '../../app/watched-requests';
import { ErrorPanel } from '../error-panel';
import { StorageSelect, useCloudStorages } from '../file-browser';
import { FormDialog } from '../form-dialog';
import { ExportFilterFields, filterQuery, NO_FILTER } from './export-filter';
import { type ExchangeProps, locationOf, namesOf, useFormats, defaultCloud } from './target';

/** Exports annotations in the background, to be downloaded or stored in a cloud storage. */
export function ExportDialog({ target, opened, onClose }: ExchangeProps): ReactNode {
  const formats = useFormats(opened);
  const { data: storages = [] } = useCloudStorages(opened);
  const [format, setFormat] = useState<string | null>(null);
  const [withImages, setWithImages] = useState(false);
  const [filename, setFilename] = useState('');
  const [location, setLocation] = useState<number | null | undefined>();
  const [filter, setFilter] = useState(NO_FILTER);
  const cloud = location === undefined ? defaultCloud(target.destination) : location;
  const options = namesOf(formats.data?.exporters, target);
  const selected = format ?? options[0] ?? null;
  const create = useMutation({
    mutationFn: async () => {
      const query = {
        format: selected ?? '',
        save_images: withImages,
        ...locationOf(cloud),
        ...filterQuery(filter),
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
      mutation={create}
      disabled={selected === null || !/^\d*$/.test(filter.changedSince)}
    >
      {formats.error !== null && <ErrorPanel error={formats.error} onRetry={() => void formats.refetch()} />}
      <Select
        label="Format"
        data={options}
        value={selected}
        onChange={setFormat}
        allowDeselect={false}
        data-autofocus
      />
      <Switch
        label="Include images"
        checked={withImages}
        onChange={(event) => setWithImages(event.currentTarget.checked)}
      />
      <ExportFilterFields target={target} value={filter} onChange={setFilter} />
      {storages.length > 0 && (
        <StorageSelect label="Destination" storages={storages} value={cloud} onChange={setLocation} none="Download" />
      )}
      <TextInput
        label="File name"
        description="If empty, the server chooses a name."
        value={filename}
        onChange={(event) => setFilename(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
