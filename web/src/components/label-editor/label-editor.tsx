import { Button, Group, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { loadLater } from '../../app/later';
import { Icon } from '../icons';
import { PageLoader } from '../page-loader';
import { PageNumbers } from '../page-numbers';
import { type DraftLabel, nameProblems, newLabel } from './draft';
import { counted } from '../counted';

// The fields of a label are large: their code is loaded when there is a label.
const loadRow = () => import('./label-row');
const LabelRow = lazy(async () => ({ default: (await loadRow()).LabelRow }));
const LabelJson = lazy(async () => ({ default: (await import('./label-json')).LabelJson }));

export interface LabelEditorProps {
  readonly labels: readonly DraftLabel[];
  readonly onChange: (labels: readonly DraftLabel[]) => void;
  /** Why the labels could not be saved. Hidden while a label is marked with an error of its own. */
  readonly error?: string | undefined;
  /** What is wrong with the JSON that the user has entered. The labels are then older than the JSON and must not be saved. */
  readonly jsonProblem: string | null;
  readonly onJsonProblem: (problem: string | null) => void;
}

/** Edits labels in a form or as JSON. The page around it saves them. */
export function LabelEditor({ labels, onChange, error, jsonProblem, onJsonProblem }: LabelEditorProps): ReactNode {
  return (
    <Tabs defaultValue="form" keepMounted={false}>
      <Tabs.List mb="sm">
        <Tabs.Tab value="form" disabled={jsonProblem !== null}>
          Form
        </Tabs.Tab>
        <Tabs.Tab value="json">JSON</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="form">
        <LabelList labels={labels} onChange={onChange} />
      </Tabs.Panel>
      <Tabs.Panel value="json">
        <Suspense fallback={<PageLoader />}>
          <LabelJson labels={labels} onChange={onChange} onProblem={onJsonProblem} />
        </Suspense>
      </Tabs.Panel>
      {error !== undefined && jsonProblem === null && nameProblems(labels).size === 0 && (
        <Text size="sm" c="var(--mantine-color-error)" mt="xs">
          {error}
        </Text>
      )}
    </Tabs>
  );
}

/** Longer lists are paginated and searchable, because rendering many fields is slow. */
const PAGE_SIZE = 25;

function LabelList({ labels, onChange }: Pick<LabelEditorProps, 'labels' | 'onChange'>): ReactNode {
  useEffect(() => loadLater(loadRow), []);
  const [open, setOpen] = useState<string | null>(null);
  const [search, setSearch] = useState('');
  // Search results stay while a found label is renamed.
  const [keys, setKeys] = useState<ReadonlySet<string> | null>(null);
  const [wanted, setWanted] = useState(1);
  /** Key of the label that was added last. */
  const [added, setAdded] = useState<string>();
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
    const added = newLabel(labels.length);
    onChange([...labels, added]);
    setAdded(added.key);
    find('');
    setWanted(Math.ceil((labels.length + 1) / PAGE_SIZE));
  };
  const change = (key: string, part: Partial<DraftLabel>): void =>
    onChange(labels.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const problems = nameProblems(labels);
  /** Saved labels stay in the list until the removal is saved, so that they do not seem deleted before. */
  const remove = ({ id, key }: DraftLabel): void => {
    if (id === undefined) onChange(labels.filter((each) => each.key !== key));
    else change(key, { isRemoved: true });
  };
  return (
    <Stack gap={8} onKeyDown={keepEnter}>
      {labels.length === 0 && (
        <Text size="sm" c="dimmed">
          No labels yet. A label is a class of objects, such as car or cat.
        </Text>
      )}
      {labels.length > PAGE_SIZE && (
        <TextInput
          label={`Search ${counted(labels.length, 'label')}`}
          maw={400}
          value={search}
          onChange={(event) => find(event.currentTarget.value)}
        />
      )}
      {labels.length > 0 && found.length === 0 && (
        <Text size="sm" c="dimmed" role="status">
          No label name contains “{search.trim()}”.
        </Text>
      )}
      <Suspense fallback={<PageLoader />}>
        {found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((label) => (
          <LabelRow
            key={label.key}
            label={label}
            isOpen={open === label.key}
            takesFocus={added === label.key}
            onEnter={add}
            onToggle={() => setOpen(open === label.key ? null : label.key)}
            onChange={(part) => change(label.key, part)}
            problem={problems.get(label.key)}
            onRemove={() => remove(label)}
          />
        ))}
      </Suspense>
      <Group justify="space-between">
        <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={add}>
          Add label
        </Button>
        <PageNumbers
          label="Label pages"
          pages={pages}
          page={page}
          onChange={(next) => {
            setAdded(undefined);
            setWanted(next);
          }}
        />
      </Group>
    </Stack>
  );
}

/** Enter in a field would submit the form around the labels, which creates a project or a task. */
function keepEnter(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
}

const keyOf = ({ key }: DraftLabel): string => key;
