import { Anchor, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ErrorPanel } from '../error-panel';
import { Icon } from '../icons';
import { PageLoader } from '../page-loader';
import classes from './file-browser.module.css';

interface Entry {
  readonly name: string;
  readonly type: string;
  readonly mime_type: string;
}

/** A page of the entries of a folder. */
export interface FolderPage {
  readonly entries: readonly Entry[];
  /** Token of the next page. */
  readonly next: string | null;
}

interface FileBrowserProps {
  /** Name of the root folder. */
  readonly name: string;
  /** Identifies the source in the cache. */
  readonly source: readonly unknown[];
  /** Path of the root folder with a trailing slash. Default: the empty path. */
  readonly root?: string;
  /** @param folder path with a trailing slash */
  readonly read: (folder: string, next: string | null, signal: AbortSignal) => Promise<FolderPage>;
  /** Selected paths. Those of folders end with a slash and include all files in them. */
  readonly selected?: readonly string[];
  /** If undefined, files cannot be selected. */
  readonly onChange?: (selected: readonly string[]) => void;
  readonly empty: string;
  /** Allows only one file, and no folder. */
  readonly isSingle?: boolean;
}

/** Browses files and folders on the server or in a cloud storage, and selects some of them. */
export function FileBrowser({
  name,
  source,
  root = '',
  read,
  selected = [],
  onChange,
  empty,
  isSingle = false,
}: FileBrowserProps): ReactNode {
  const [folder, setFolder] = useState(root);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['folder', ...source, folder],
    queryFn: ({ pageParam, signal }) => read(folder, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  const toggle = (path: string, on: boolean): void => {
    if (!on) onChange?.(selected.filter((each) => each !== path));
    else onChange?.(isSingle ? [path] : [...selected.filter((each) => !each.startsWith(path)), path]);
  };
  const outer = selected.find((path) => path.endsWith('/') && folder.startsWith(path));
  return (
    <Stack gap="sm">
      <FolderPath name={name} root={root} folder={folder} onGo={setFolder} />
      {error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <PageLoader />}
      {data !== undefined && entries.length === 0 && (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      )}
      {entries.length > 0 && (
        <ul className={classes['entries']} aria-label={`Contents of ${folder === root ? name : folder}`}>
          {entries.map((entry) => {
            const isFolder = entry.type === 'DIR';
            const path = `${folder}${entry.name}${isFolder ? '/' : ''}`;
            return (
              <li key={path}>
                {onChange !== undefined && !(isSingle && isFolder) && (
                  <Checkbox
                    aria-label={`Select ${path}`}
                    checked={outer !== undefined || selected.includes(path)}
                    indeterminate={!selected.includes(path) && selected.some((each) => each.startsWith(path))}
                    disabled={outer !== undefined}
                    onChange={(event) => toggle(path, event.currentTarget.checked)}
                  />
                )}
                <Icon name={isFolder ? 'folder' : 'image'} size={16} />
                {isFolder ? (
                  <Anchor component="button" type="button" size="sm" onClick={() => setFolder(path)}>
                    {entry.name}
                  </Anchor>
                ) : (
                  <Text size="sm">{entry.name}</Text>
                )}
                <Text size="xs" c="dimmed">
                  {isFolder ? 'folder' : entry.mime_type}
                </Text>
              </li>
            );
          })}
        </ul>
      )}
      {hasNextPage && (
        <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Load more
        </Button>
      )}
      {onChange !== undefined && <Selection selected={selected} onChange={onChange} />}
    </Stack>
  );
}

interface FolderPathProps {
  readonly name: string;
  readonly root: string;
  readonly folder: string;
  readonly onGo: (folder: string) => void;
}

/** The path to the current folder. */
function FolderPath({ name, root, folder, onGo }: FolderPathProps): ReactNode {
  const parts = folder.slice(root.length).split('/').slice(0, -1);
  return (
    <Group gap={6} component="nav" aria-label="Folder path">
      {[name, ...parts].map((part, depth, all) => {
        const path = [root, ...parts.slice(0, depth).map((each) => `${each}/`)].join('');
        return depth === all.length - 1 ? (
          <Text key={path} size="sm" fw={600} aria-current="location">
            {part}
          </Text>
        ) : (
          <Group key={path} gap={6}>
            <Anchor component="button" type="button" size="sm" onClick={() => onGo(path)}>
              {part}
            </Anchor>
            <span aria-hidden="true">/</span>
          </Group>
        );
      })}
    </Group>
  );
}

function Selection({ selected, onChange }: Required<Pick<FileBrowserProps, 'selected' | 'onChange'>>): ReactNode {
  return (
    <Group justify="space-between">
      <Text size="sm" fw={600} role="status">
        {selected.length === 0
          ? 'Nothing selected yet'
          : `Selected: ${selected.slice(0, 3).join(', ')}${more(selected.length)}`}
      </Text>
      {selected.length > 0 && (
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => onChange([])}>
          Remove all
        </Button>
      )}
    </Group>
  );
}

const more = (count: number): string => (count > 3 ? ` and ${count - 3} more` : '');
