import { randomId } from '../../app/random-id';
import { FileInput, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../app/api';
import { uploads } from '../../app/uploads';
import { watchRequest } from '../../app/watched-requests';
import { CloudFiles, StorageSelect, useCloudStorages } from '../file-browser';
import { FormDialog } from '../form-dialog';
import { locationOf } from './target';

export interface RestoreProps {
  readonly kind: 'project' | 'task';
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Creates a project or task from a backup on this computer or in a cloud storage. */
export function RestoreDialog({ kind, opened, onClose }: RestoreProps): ReactNode {
  const { data: storages = [] } = useCloudStorages(opened);
  const [file, setFile] = useState<File | null>(null);
  const [cloud, setCloud] = useState<number | null>(null);
  const [stored, setStored] = useState<string | null>(null);
  const name = cloud === null ? (file?.name ?? null) : stored;
  const isInvalid = name !== null && !name.toLowerCase().endsWith('.zip');
  const fileError = isInvalid ? 'Select a .zip file.' : undefined;
  const restore = useMutation({
    mutationFn: async () => {
      if (cloud !== null) await restoreFromCloud(kind, stored ?? '', cloud);
      else if (file !== null) send(kind, file);
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
      title={`Restore a ${kind}`}
      action="Restore"
      mutation={restore}
      disabled={name === null || isInvalid}
    >
      <Text size="sm">
        This creates a new {kind} from a backup, in the selected organization. You become its owner, and nobody is
        assigned.
      </Text>
      {storages.length > 0 && (
        <StorageSelect
          label="Source"
          storages={storages}
          value={cloud}
          onChange={(id) => {
            setCloud(id);
            setStored(null);
          }}
          none="This computer"
        />
      )}
      {cloud === null ? (
        <FileInput
          label="Backup file"
          required
          placeholder="Select a file"
          value={file}
          onChange={setFile}
          accept=".zip"
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
    </FormDialog>
  );
}

type Kind = RestoreProps['kind'];

const collectionOf = (kind: Kind): string => `/api/${kind}s/backup/`;

function send(kind: Kind, file: File): void {
  uploads.start({
    key: `restore ${kind} ${randomId()}`,
    title: `Restore ${file.name}`,
    page: `/${kind}s`,
    purpose: 'restore',
    collection: collectionOf(kind),
    files: [{ name: file.name, data: file }],
    query: { filename: file.name, ...locationOf(null) },
  });
}

async function restoreFromCloud(kind: Kind, filename: string, cloud: number): Promise<void> {
  const query = new URLSearchParams({ filename, ...locationOf(cloud) });
  const response = await api.send(`${collectionOf(kind)}?${query.toString()}`, { method: 'POST' });
  const { rq_id: id } = (await response.json()) as { readonly rq_id: string };
  void watchRequest(id, `Restore ${filename}`, `The ${kind} has been restored.`);
}
