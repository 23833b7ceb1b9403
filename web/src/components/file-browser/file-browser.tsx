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

/** A part of what lies directly in a folder. */
export interface FolderPage {
  readonly entries: readonly Entry[];
  /** By which the next part is asked for. */
  readonly next: string | null;
}

interface FileBrowserProps {
  /** Of the outermost folder. */
  readonly name: string;
  /** Tells what is read from other places. */
  readonly source: readonly unknown[];
  /** Path of the outermost folder, with a slash at the end; without it, empty. */
  readonly root?: string;
  /** @param folder its path with a slash at the end */
  readonly read: (folder: string, next: string | null, signal: AbortSignal) => Promise<FolderPage>;
  /** Paths; those of folders end with a slash, and stand for all that is in them. */
  readonly chosen?: readonly string[];
  /** Without it nothing can be selected: the files are only shown. */
  readonly onChange?: (chosen: readonly string[]) => void;
  readonly empty: string;
  /** One file is chosen, and no folder. */
  readonly isSingle?: boolean;
}

/** Files and folders of a place that the server reaches, to be chosen. */
export function FileBrowser({
  name,
  source,
  root = '',
  read,
  chosen = [],
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
    if (!on) onChange?.(chosen.filter((each) => each !== path));
    else onChange?.(isSingle ? [path] : [...chosen.filter((each) => !each.startsWith(path)), path]);
  };
  const outer = chosen.find((path) => path.endsWith('/') && folder.startsWith(path));
  return (
    <Stack gap="sm">
      <Way name={name} root={root} folder={folder} onGo={setFolder} />
      {error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <PageLoader />}
      {data !== undefined && entries.length === 0 && (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      )}
      {entries.length > 0 && (
        <ul className={classes['entries']} aria-label={`Content of ${folder === root ? name : folder}`}>
          {entries.map((entry) => {
            const isFolder = entry.type === 'DIR';
            const path = `${folder}${entry.name}${isFolder ? '/' : ''}`;
            return (
              <li key={path}>
                {onChange !== undefined && !(isSingle && isFolder) && (
                  <Checkbox
                    aria-label={`Take ${path}`}
                    checked={outer !== undefined || chosen.includes(path)}
                    indeterminate={!chosen.includes(path) && chosen.some((each) => each.startsWith(path))}
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
          Show more
        </Button>
      )}
      {onChange !== undefined && <Chosen chosen={chosen} onChange={onChange} />}
    </Stack>
  );
}

interface WayProps {
  readonly name: string;
  readonly root: string;
  readonly folder: string;
  readonly onGo: (folder: string) => void;
}

/** The folder that is shown, and those around it. */
function Way({ name, root, folder, onGo }: WayProps): ReactNode {
  const parts = folder.slice(root.length).split('/').slice(0, -1);
  return (
    <Group gap={6} component="nav" aria-label="Folders around">
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

function Chosen({ chosen, onChange }: Required<Pick<FileBrowserProps, 'chosen' | 'onChange'>>): ReactNode {
  return (
    <Group justify="space-between">
      <Text size="sm" fw={600} role="status">
        {chosen.length === 0 ? 'Nothing chosen yet' : `Chosen: ${chosen.slice(0, 3).join(', ')}${more(chosen.length)}`}
      </Text>
      {chosen.length > 0 && (
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => onChange([])}>
          Take all away
        </Button>
      )}
    </Group>
  );
}

const more = (count: number): string => (count > 3 ? ` and ${count - 3} more` : '');
