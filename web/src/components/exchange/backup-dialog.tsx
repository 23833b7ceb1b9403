import { Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api } from '../../app/api';
import { watchRequest } from '../../app/watched-requests';
import { StorageSelect, useCloudStorages } from '../file-browser';
import { FormDialog } from '../form-dialog';
import { type ExchangeProps, locationOf, usualCloud } from './target';

const CONTENT = {
  project: 'The backup holds all tasks with their images, labels, jobs, annotations and guides.',
  task: 'The backup holds the images, labels, jobs, annotations and the guide.',
  job: '',
} as const;

/** Creates a backup of a project or task in the background, to be downloaded or stored in a cloud storage. */
export function BackupDialog({ target, opened, onClose }: ExchangeProps): ReactNode {
  const { data: storages = [] } = useCloudStorages(opened);
  const [filename, setFilename] = useState('');
  const [place, setPlace] = useState<number | null | undefined>();
  const cloud = place === undefined ? usualCloud(target.destination) : place;
  const create = useMutation({
    mutationFn: async () => {
      const name = filename.trim();
      const query = { ...locationOf(cloud), ...(name === '' ? {} : { filename: name }) };
      const path = `/api/${target.kind}s/{id}/backup/export` as '/api/tasks/{id}/backup/export';
      return unwrap(await api.POST(path, { params: { path: { id: target.id }, query: query as never } }));
    },
    onSuccess: ({ rq_id: id }) => {
      void watchRequest(id, `Backup of ${target.name}`, 'The backup is in the cloud storage.');
      onClose();
    },
  });
  return (
    <FormDialog opened={opened} onClose={onClose} title={`Back up ${target.name}`} action="Create backup" deed={create}>
      <Text size="sm">
        {CONTENT[target.kind]} You can restore it here or on another server. Passwords and members are not part of it.
      </Text>
      {storages.length > 0 && (
        <StorageSelect label="To" storages={storages} value={cloud} onChange={setPlace} none="A download" />
      )}
      <TextInput
        label="File name"
        description="If empty, the server chooses a name with the date."
        value={filename}
        onChange={(event) => setFilename(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
