import { Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api } from '../../app/api';
import { watchRequest } from '../../app/watched-requests';
import { StorageSelect, useCloudStorages } from '../file-browser';
import { FormDialog } from '../form-dialog';
import { type ExchangeProps, locationOf, defaultCloud } from './target';

const CONTENT = {
  project: 'The backup holds all tasks with their images, labels, jobs, annotations and guides.',
  task: 'The backup holds the images, labels, jobs, annotations and the guide.',
  job: '',
} as const;

/** Creates a backup of a project or task in the background, to be downloaded or stored in a cloud storage. */
export function BackupDialog({ target, opened, onClose }: ExchangeProps): ReactNode {
  const { data: storages = [] } = useCloudStorages(opened);
  const [filename, setFilename] = useState('');
  const [location, setLocation] = useState<number | null | undefined>();
  const cloud = location === undefined ? defaultCloud(target.destination) : location;
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
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={`Back up ${target.name}`}
      action="Create backup"
      mutation={create}
    >
      <Text size="sm">
        {CONTENT[target.kind]} You can restore it here or on another server. It does not include passwords and members.
      </Text>
      {storages.length > 0 && (
        <StorageSelect label="Destination" storages={storages} value={cloud} onChange={setLocation} none="Download" />
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
