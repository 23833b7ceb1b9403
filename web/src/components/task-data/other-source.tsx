import { Anchor, Stack, Text, Textarea } from '@mantine/core';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { api } from '../../app/api';
import { CloudFiles, FileBrowser, type FolderPage, StorageSelect, useCloudStorages } from '../file-browser';
import { Loaded } from '../loaded';
import type { SourceChoice } from './data-source';

interface OtherSourceProps {
  readonly source: SourceChoice;
  readonly onChange: (part: Partial<SourceChoice>) => void;
}

/** Selects files that are not on the user's computer. */
export function OtherSource({ source, onChange }: OtherSourceProps): ReactNode {
  if (source.location === 'share')
    return <SharedFolder selected={source.shared} onChange={(shared) => onChange({ shared })} />;
  if (source.location === 'cloud') return <CloudSource source={source} onChange={onChange} />;
  return (
    <Textarea
      label="URLs of images, archives or videos"
      description="One per line, http or https. The server downloads the files. Each is named after the last part of its URL."
      autosize
      minRows={4}
      maxRows={16}
      spellCheck={false}
      value={source.urls}
      onChange={(event) => onChange({ urls: event.currentTarget.value })}
    />
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

function CloudSource({ source: { storageId, stored }, onChange }: OtherSourceProps): ReactNode {
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
