import { Tabs } from '@mantine/core';
import type { UploadFile } from 'cairn-client';
import { lazy, type ReactNode, Suspense } from 'react';
import { FileDrop } from '../file-drop';
import { PageLoader } from '../page-loader';
import type { FileLocation, SourceChoice } from './data-source';

// Most people upload files of their computer.
const OtherSource = lazy(async () => ({ default: (await import('./other-source')).OtherSource }));

interface DataSourceFormProps {
  readonly source: SourceChoice;
  readonly onChange: (source: SourceChoice) => void;
  readonly files: readonly UploadFile[];
  readonly onFiles: (files: readonly UploadFile[]) => void;
}

const OTHERS = ['share', 'cloud', 'urls'] as const satisfies readonly FileLocation[];

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
      {OTHERS.map((location) => (
        <Tabs.Panel key={location} value={location}>
          <Suspense fallback={<PageLoader />}>
            <OtherSource source={source} onChange={set} />
          </Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
