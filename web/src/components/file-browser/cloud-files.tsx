import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useCallback } from 'react';
import { api, readAll } from '../../app/api';
import { Loaded } from '../loaded';
import type { FolderPage } from './file-browser';
import { FileBrowser } from './lazy-browser';

/** Cloud storages of the selected organization. */
export function useCloudStorages(enabled = true) {
  return useQuery({
    queryKey: ['cloudstorages'],
    queryFn: () => readAll('/api/cloudstorages', { query: { sort: 'id' } }),
    enabled,
  });
}

interface StorageSelectProps {
  readonly label: string;
  readonly storages: readonly { readonly id: number; readonly display_name: string; readonly resource: string }[];
  readonly value: number | null;
  readonly onChange: (id: number | null) => void;
  /** Label of the option for no storage. If undefined, there is no such option. */
  readonly none?: string;
}

const NONE = 'none';

/** Selects a cloud storage. */
export function StorageSelect({ label, storages, value, onChange, none }: StorageSelectProps): ReactNode {
  const options = storages.map(({ id, display_name: name, resource }) => ({
    value: String(id),
    label: `${name} (${resource})`,
  }));
  return (
    <Select
      label={label}
      placeholder="Select a cloud storage"
      data={none === undefined ? options : [{ value: NONE, label: none }, ...options]}
      allowDeselect={none === undefined}
      value={value === null ? (none === undefined ? null : NONE) : String(value)}
      onChange={(id) => onChange(id === null || id === NONE ? null : Number(id))}
    />
  );
}

interface CloudFilesProps {
  readonly storageId: number;
  readonly selected?: readonly string[];
  /** If undefined, files cannot be selected. */
  readonly onChange?: (selected: readonly string[]) => void;
  readonly isSingle?: boolean;
  /** Name of a manifest. If set, the files listed in it are shown instead of those in the bucket. */
  readonly manifest?: string;
}

/** Browses the files of a cloud storage. */
export function CloudFiles({ storageId, manifest, ...selection }: CloudFilesProps): ReactNode {
  const storages = useCloudStorages();
  const read = useCallback(
    async (prefix: string, next: string | null, signal: AbortSignal): Promise<FolderPage> => {
      const inManifest = manifest === undefined ? {} : { manifest_path: manifest };
      const query = { prefix, ...inManifest, ...(next === null ? {} : { next_token: next }) };
      const path = { id: storageId };
      const page = unwrap(await api.GET('/api/cloudstorages/{id}/content-v2', { params: { path, query }, signal }));
      return { entries: page.content, next: page.next };
    },
    [storageId, manifest],
  );
  return (
    <Loaded query={storages}>
      {(all) => (
        <FileBrowser
          key={`${storageId} ${manifest ?? ''}`}
          name="Cloud storage"
          source={['cloudstorage', storageId, manifest ?? null]}
          root={rootOf(all.find(({ id }) => id === storageId)?.specific_attributes)}
          read={read}
          empty="This folder is empty."
          {...selection}
        />
      )}
    </Loaded>
  );
}

/** @returns the folder of the prefix that the storage is limited to */
function rootOf(attributes = ''): string {
  const prefix = new URLSearchParams(attributes).get('prefix') ?? '';
  return prefix.slice(0, prefix.lastIndexOf('/') + 1);
}
