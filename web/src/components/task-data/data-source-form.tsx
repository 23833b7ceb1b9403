import { Anchor, Stack, Tabs, Text, Textarea } from '@mantine/core';
import { type UploadFile, unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api } from '../../app/api';
import { FileDrop } from '../file-drop';
import { Loaded } from '../loaded';
import type { Place, SourceChoice } from './data-source';
import { CloudFiles, FileBrowser, type FolderPage, StorageSelect, useCloudStorages } from '../file-browser';
import { Link } from 'react-router';

interface DataSourceFormProps {
  readonly source: SourceChoice;
  readonly onChange: (source: SourceChoice) => void;
  readonly files: readonly UploadFile[];
  readonly onFiles: (files: readonly UploadFile[]) => void;
}

/** Where the images of a task come from: one place, whatever was chosen in the others. */
export function DataSourceForm({ source, onChange, files, onFiles }: DataSourceFormProps): ReactNode {
  const set = (part: Partial<SourceChoice>): void => onChange({ ...source, ...part });
  return (
    <Tabs value={source.place} onChange={(place) => set({ place: (place ?? 'computer') as Place })} keepMounted={false}>
      <Tabs.List mb="md" aria-label="Where the files are">
        <Tabs.Tab value="computer">This computer</Tabs.Tab>
        <Tabs.Tab value="share">Shared folder</Tabs.Tab>
        <Tabs.Tab value="cloud">Cloud storage</Tabs.Tab>
        <Tabs.Tab value="addresses">Addresses</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="computer">
        <FileDrop files={files} onChange={onFiles} />
      </Tabs.Panel>
      <Tabs.Panel value="share">
        <SharedFolder chosen={source.shared} onChange={(shared) => set({ shared })} />
      </Tabs.Panel>
      <Tabs.Panel value="cloud">
        <CloudSource source={source} onChange={set} />
      </Tabs.Panel>
      <Tabs.Panel value="addresses">
        <Textarea
          label="Addresses of images, archives or videos"
          description="One a line, http or https. The server fetches them; they are called as their ends."
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          value={source.addresses}
          onChange={(event) => set({ addresses: event.currentTarget.value })}
        />
      </Tabs.Panel>
    </Tabs>
  );
}

interface ChosenProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

async function readShare(directory: string, _next: string | null, signal: AbortSignal): Promise<FolderPage> {
  const query = { directory };
  return { entries: unwrap(await api.GET('/api/server/share', { params: { query }, signal })), next: null };
}

const SharedFolder = ({ chosen, onChange }: ChosenProps): ReactNode => (
  <FileBrowser
    name="Shared folder"
    source={['share']}
    read={readShare}
    chosen={chosen}
    onChange={onChange}
    empty="There is nothing in it, or this server has no shared folder (SHARE_DIR)."
  />
);

interface CloudSourceProps {
  readonly source: SourceChoice;
  readonly onChange: (part: Partial<SourceChoice>) => void;
}

function CloudSource({ source: { storageId, stored }, onChange }: CloudSourceProps): ReactNode {
  const query = useCloudStorages();
  return (
    <Loaded query={query}>
      {(storages) =>
        storages.length === 0 ? (
          <Text size="sm" c="dimmed">
            There is no cloud storage here yet.{' '}
            <Anchor component={Link} to="/cloudstorages/new">
              Create a cloud storage
            </Anchor>
          </Text>
        ) : (
          <Stack gap="sm">
            <StorageSelect
              label="Cloud storage"
              storages={storages}
              value={storageId}
              onChange={(id) => onChange({ storageId: id, stored: [] })}
            />
            {storageId !== null && (
              <CloudFiles storageId={storageId} chosen={stored} onChange={(next) => onChange({ stored: next })} />
            )}
          </Stack>
        )
      }
    </Loaded>
  );
}
