import { Anchor, Stack, Tabs, Text, Textarea } from '@mantine/core';
import { type UploadFile, unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api } from '../../app/api';
import { FileDrop } from '../file-drop';
import { Loaded } from '../loaded';
import type { FileLocation, SourceChoice } from './data-source';
import { CloudFiles, FileBrowser, type FolderPage, StorageSelect, useCloudStorages } from '../file-browser';
import { Link } from 'react-router';

interface DataSourceFormProps {
  readonly source: SourceChoice;
  readonly onChange: (source: SourceChoice) => void;
  readonly files: readonly UploadFile[];
  readonly onFiles: (files: readonly UploadFile[]) => void;
}

/** Selects the source of a task's images. Selections in other tabs are ignored. */
export function DataSourceForm({ source, onChange, files, onFiles }: DataSourceFormProps): ReactNode {
  const set = (part: Partial<SourceChoice>): void => onChange({ ...source, ...part });
  return (
    <Tabs
      value={source.location}
      onChange={(location) => set({ location: (location ?? 'computer') as FileLocation })}
      keepMounted={false}
    >
      <Tabs.List mb="md" aria-label="Source of the files">
        <Tabs.Tab value="computer">This computer</Tabs.Tab>
        <Tabs.Tab value="share">Shared folder</Tabs.Tab>
        <Tabs.Tab value="cloud">Cloud storage</Tabs.Tab>
        <Tabs.Tab value="urls">URLs</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="computer">
        <FileDrop files={files} onChange={onFiles} />
      </Tabs.Panel>
      <Tabs.Panel value="share">
        <SharedFolder selected={source.shared} onChange={(shared) => set({ shared })} />
      </Tabs.Panel>
      <Tabs.Panel value="cloud">
        <CloudSource source={source} onChange={set} />
      </Tabs.Panel>
      <Tabs.Panel value="urls">
        <Textarea
          label="URLs of images, archives or videos"
          description="One per line, http or https. The server downloads the files. Each is named after the last part of its URL."
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          value={source.urls}
          onChange={(event) => set({ urls: event.currentTarget.value })}
        />
      </Tabs.Panel>
    </Tabs>
  );
}

interface SelectionProps {
  readonly selected: readonly string[];
  readonly onChange: (selected: readonly string[]) => void;
}

async function readShare(directory: string, _next: string | null, signal: AbortSignal): Promise<FolderPage> {
  const query = { directory };
  return { entries: unwrap(await api.GET('/api/server/share', { params: { query }, signal })), next: null };
}

const SharedFolder = ({ selected, onChange }: SelectionProps): ReactNode => (
  <FileBrowser
    name="Shared folder"
    source={['share']}
    read={readShare}
    selected={selected}
    onChange={onChange}
    empty="This folder is empty, or the server has no shared folder (SHARE_DIR)."
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
            No cloud storages yet.{' '}
            <Anchor component={Link} to="/cloudstorages/new">
              Create cloud storage
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
              <CloudFiles storageId={storageId} selected={stored} onChange={(next) => onChange({ stored: next })} />
            )}
          </Stack>
        )
      }
    </Loaded>
  );
}
