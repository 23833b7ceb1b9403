import {
  ActionIcon,
  Alert,
  Button,
  ColorInput,
  Group,
  Select,
  Stack,
  Tabs,
  Text,
  TextInput,
  Textarea,
} from '@mantine/core';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Icon } from '../icons';
import { PageLoader } from '../page-loader';
import { PageNumbers } from '../page-numbers';
import { AttributeEditor } from './attribute-editor';
import { type DraftLabel, LABEL_TYPES, newLabel } from './draft';
import classes from './label-editor.module.css';
import { fromJson, toJson } from './labels-json';

const SkeletonEditor = lazy(async () => ({ default: (await import('./skeleton-editor')).SkeletonEditor }));

interface LabelEditorProps {
  readonly labels: readonly DraftLabel[];
  readonly onChange: (labels: readonly DraftLabel[]) => void;
}

/** Labels one by one, or all as JSON. Nothing is sent: the page that shows it saves. */
export function LabelEditor({ labels, onChange }: LabelEditorProps): ReactNode {
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
        <LabelJson labels={labels} onChange={onChange} />
      </Tabs.Panel>
    </Tabs>
  );
}

/** More labels than these are shown in pages and can be searched: each has fields that cost a browser time. */
const PAGE_SIZE = 25;

function LabelList({ labels, onChange }: LabelEditorProps): ReactNode {
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
  return (
    <Stack gap={8}>
      {labels.length === 0 && (
        <Text size="sm" c="dimmed">
          No labels yet. A label is what annotations are called: car, cat, crack.
        </Text>
      )}
      {labels.length > PAGE_SIZE && (
        <TextInput
          label={`Find one of the ${labels.length} labels`}
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
      {found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((label) => (
        <LabelRow
          key={label.key}
          label={label}
          isOpen={open === label.key}
          onToggle={() => setOpen(open === label.key ? null : label.key)}
          onChange={(part) => change(label.key, part)}
          onRemove={() => onChange(labels.filter((each) => each.key !== label.key))}
        />
      ))}
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

interface LabelRowProps {
  readonly label: DraftLabel;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onChange: (part: Partial<DraftLabel>) => void;
  readonly onRemove: () => void;
}

function LabelRow({ label, isOpen, onToggle, onChange, onRemove }: LabelRowProps): ReactNode {
  const { name, color, type, attributes, sublabels } = label;
  const named = name === '' ? 'the new label' : name;
  const parts = [
    ...(attributes.length > 0 ? [`${attributes.length} ${attributes.length === 1 ? 'attribute' : 'attributes'}`] : []),
    ...(type === 'skeleton' ? [`${sublabels.length} points`] : []),
  ];
  const hasKnownKind = label.id !== undefined;
  const types = LABEL_TYPES.filter((each) => !hasKnownKind || (each === 'skeleton') === (type === 'skeleton'));
  return (
    <div className={classes['row']}>
      <Group align="flex-end" gap="xs">
        <TextInput
          size="sm"
          label="Name"
          required
          maxLength={64}
          flex={1}
          miw={160}
          value={name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <ColorInput
          size="sm"
          label="Colour"
          w={130}
          format="hex"
          withEyeDropper={false}
          value={color}
          onChange={(value) => onChange({ color: value })}
          popoverProps={{ withinPortal: true }}
        />
        <Select
          size="sm"
          label="Shape"
          w={130}
          allowDeselect={false}
          data={[...types]}
          value={type}
          onChange={(value) => {
            onChange({ type: value ?? 'any' });
            if (value === 'skeleton' && !isOpen) onToggle();
          }}
        />
        <Button size="sm" variant={isOpen ? 'light' : 'default'} aria-expanded={isOpen} onClick={onToggle}>
          {parts.length === 0 ? 'Attributes' : parts.join(', ')}
        </Button>
        <ActionIcon size="lg" variant="subtle" color="red" aria-label={`Remove ${named}`} onClick={onRemove}>
          <Icon name="trash" />
        </ActionIcon>
      </Group>
      {isOpen && (
        <Stack mt="sm" gap="md">
          {type === 'skeleton' && (
            <Suspense fallback={<PageLoader />}>
              <SkeletonEditor label={label} onChange={onChange} />
            </Suspense>
          )}
          <AttributeEditor attributes={attributes} onChange={(next) => onChange({ attributes: next })} />
        </Stack>
      )}
    </div>
  );
}

function LabelJson({ labels, onChange }: LabelEditorProps): ReactNode {
  const [text, setText] = useState(() => toJson(labels));
  const [problem, setProblem] = useState<string | null>(null);
  const change = (next: string): void => {
    setText(next);
    try {
      onChange(fromJson(next));
      setProblem(null);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <Stack gap="xs">
      <Textarea
        label="Labels as JSON"
        description="Copy it from another project, or write it. An id keeps a label that is there already; one that is left out is deleted."
        autosize
        minRows={10}
        maxRows={30}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {problem !== null && (
        <Alert color="orange" role="alert" title="These labels are not taken over yet">
          {problem}
        </Alert>
      )}
    </Stack>
  );
}
