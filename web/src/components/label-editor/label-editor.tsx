import { Button, Group, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { loadLater } from '../../app/later';
import { Icon } from '../icons';
import { PageLoader } from '../page-loader';
import { PageNumbers } from '../page-numbers';
import { type DraftLabel, nameProblems, newLabel } from './draft';
import { counted } from '../counted';

// Colours, attributes and their kinds are heavy: they are loaded when there is a label.
const loadRow = () => import('./label-row');
const LabelRow = lazy(async () => ({ default: (await loadRow()).LabelRow }));
const LabelJson = lazy(async () => ({ default: (await import('./label-json')).LabelJson }));

export interface LabelEditorProps {
  readonly labels: readonly DraftLabel[];
  readonly onChange: (labels: readonly DraftLabel[]) => void;
  /** Why they could not be sent. */
  readonly error?: string | undefined;
}

/** Labels one by one, or all as JSON. Nothing is sent: the page that shows it saves. */
export function LabelEditor({ labels, onChange, error }: LabelEditorProps): ReactNode {
  return (
    <Tabs defaultValue="form" keepMounted={false}>
      <Tabs.List mb="sm">
        <Tabs.Tab value="form">One by one</Tabs.Tab>
        <Tabs.Tab value="json">JSON</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="form">
        <LabelList labels={labels} onChange={onChange} />
      </Tabs.Panel>
      <Tabs.Panel value="json">
        <Suspense fallback={<PageLoader />}>
          <LabelJson labels={labels} onChange={onChange} />
        </Suspense>
      </Tabs.Panel>
      {error !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" mt="xs">
          {error}
        </Text>
      )}
    </Tabs>
  );
}

/** More labels than these are shown in pages and can be searched: each has fields that cost a browser time. */
const PAGE_SIZE = 25;

function LabelList({ labels, onChange }: LabelEditorProps): ReactNode {
  useEffect(() => loadLater(loadRow), []);
  const [open, setOpen] = useState<string | null>(null);
  const [search, setSearch] = useState('');
  // Who is found stays while the name is typed anew.
  const [keys, setKeys] = useState<ReadonlySet<string> | null>(null);
  const [wanted, setWanted] = useState(1);
  const found = keys === null ? labels : labels.filter(({ key }) => keys.has(key));
  const pages = Math.ceil(found.length / PAGE_SIZE);
  const page = Math.max(1, Math.min(wanted, pages));
  const find = (text: string): void => {
    const part = text.trim().toLowerCase();
    setSearch(text);
    setKeys(part === '' ? null : new Set(labels.filter(({ name }) => name.toLowerCase().includes(part)).map(keyOf)));
    setWanted(1);
  };
  const add = (): void => {
    onChange([...labels, newLabel(labels.length)]);
    find('');
    setWanted(Math.ceil((labels.length + 1) / PAGE_SIZE));
  };
  const change = (key: string, part: Partial<DraftLabel>): void =>
    onChange(labels.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const problems = nameProblems(labels);
  /** Labels of the server stay in the list until they are saved, so that they do not seem deleted before. */
  const remove = ({ id, key }: DraftLabel): void => {
    if (id === undefined) onChange(labels.filter((each) => each.key !== key));
    else change(key, { isRemoved: true });
  };
  return (
    <Stack gap={8}>
      {labels.length === 0 && (
        <Text size="sm" c="dimmed">
          No labels yet. A label is what annotations are called: car, cat, crack.
        </Text>
      )}
      {labels.length > PAGE_SIZE && (
        <TextInput
          label={`Find one of the ${counted(labels.length, 'label')}`}
          maw={400}
          value={search}
          onChange={(event) => find(event.currentTarget.value)}
        />
      )}
      {labels.length > 0 && found.length === 0 && (
        <Text size="sm" c="dimmed" role="status">
          No label has “{search.trim()}” in its name.
        </Text>
      )}
      <Suspense fallback={<PageLoader />}>
        {found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((label) => (
          <LabelRow
            key={label.key}
            label={label}
            isOpen={open === label.key}
            onToggle={() => setOpen(open === label.key ? null : label.key)}
            onChange={(part) => change(label.key, part)}
            problem={problems.get(label.key)}
            onRemove={() => remove(label)}
          />
        ))}
      </Suspense>
      <Group justify="space-between">
        <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={add}>
          Add a label
        </Button>
        <PageNumbers label="Pages of labels" pages={pages} page={page} onChange={setWanted} />
      </Group>
    </Stack>
  );
}

const keyOf = ({ key }: DraftLabel): string => key;
