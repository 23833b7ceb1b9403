import {
  ActionIcon,
  Button,
  Drawer,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { SHAPE_TYPES } from '#shared/annotations/model';
import type { Label } from '../../../app/api';
import { Icon } from '../../../components/icons';
import {
  COMPARISONS,
  comparisonsOf,
  type Condition,
  type Field,
  FIELDS,
  NO_FILTER,
  type ObjectFilter,
  STATES,
} from '../scene/object-filter';
import classes from './filter-dialog.module.css';

const KINDS = ['shape', 'track', 'tag'];
const TYPES = [...SHAPE_TYPES, 'tag'];
const SOURCES = ['manual', 'semi-auto', 'auto', 'file', 'consensus'];
const FIRST: Condition = { field: 'label', comparison: 'is', value: '' };

interface FilterDialogProps {
  readonly opened: boolean;
  readonly filter: ObjectFilter;
  readonly labels: readonly Label[];
  /** Number of objects of the frame that meet the filter. */
  readonly found: number;
  readonly onChange: (filter: ObjectFilter) => void;
  readonly onClose: () => void;
}

/** Builds the filter of the objects. It applies at once, so the canvas stays visible. */
export function FilterDialog({ opened, filter, labels, found, onChange, onClose }: FilterDialogProps): ReactNode {
  const { conditions, isAny } = filter;
  const replace = (at: number, condition: Condition): void =>
    onChange({ ...filter, conditions: conditions.with(at, condition) });
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      title="Filter objects"
      position="right"
      size={440}
      overlayProps={{ backgroundOpacity: 0 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Only objects that meet the filter are listed, drawn, and found by the keys for frames with annotations.
        </Text>
        {conditions.length > 1 && (
          <SegmentedControl
            aria-label="Objects must meet"
            transitionDuration={0}
            data={[
              { value: 'all', label: 'All conditions' },
              { value: 'any', label: 'Any condition' },
            ]}
            value={isAny ? 'any' : 'all'}
            onChange={(value) => onChange({ ...filter, isAny: value === 'any' })}
          />
        )}
        {conditions.map((condition, at) => (
          <ConditionRow
            // The position is the identity of a condition: two can be equal.
            key={at}
            number={at + 1}
            condition={condition}
            labels={labels}
            onChange={(changed) => replace(at, changed)}
            onRemove={() => onChange({ ...filter, conditions: conditions.toSpliced(at, 1) })}
          />
        ))}
        <Group>
          <Button
            variant="default"
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => onChange({ ...filter, conditions: [...conditions, FIRST] })}
          >
            Add condition
          </Button>
          <Button variant="subtle" disabled={conditions.length === 0} onClick={() => onChange(NO_FILTER)}>
            Remove all
          </Button>
        </Group>
        <Text size="sm" role="status">
          {found === 1 ? '1 object of this frame meets' : `${found} objects of this frame meet`} the filter.
        </Text>
      </Stack>
    </Drawer>
  );
}

interface ConditionRowProps {
  /** Its number in the list, for its accessible name. */
  readonly number: number;
  readonly condition: Condition;
  readonly labels: readonly Label[];
  readonly onChange: (condition: Condition) => void;
  readonly onRemove: () => void;
}

function ConditionRow({ number, condition, labels, onChange, onRemove }: ConditionRowProps): ReactNode {
  const { field, comparison, attribute } = condition;
  const attributes = useMemo(() => attributesOf(labels), [labels]);
  return (
    <div className={classes['condition']} role="group" aria-label={`Condition ${number}`}>
      <Select
        size="xs"
        aria-label="Field"
        allowDeselect={false}
        data={Object.entries(FIELDS).map(([value, { title }]) => ({ value, label: title }))}
        value={field}
        onChange={(value) => {
          const next = (value ?? 'label') as Field;
          onChange({ field: next, comparison: comparisonsOf(next)[0] ?? 'is', value: '' });
        }}
      />
      <Select
        size="xs"
        aria-label="Comparison"
        allowDeselect={false}
        data={comparisonsOf(field).map((value) => ({ value, label: COMPARISONS[value] }))}
        value={comparison}
        onChange={(value) => onChange({ ...condition, comparison: value ?? 'is' })}
      />
      <ActionIcon variant="subtle" color="gray" size={28} aria-label={`Remove condition ${number}`} onClick={onRemove}>
        <Icon name="close" size={16} />
      </ActionIcon>
      {field === 'attribute' && (
        <Select
          size="xs"
          aria-label="Attribute"
          placeholder="Attribute"
          searchable
          data={[...attributes.keys()]}
          value={attribute ?? null}
          onChange={(value) =>
            onChange({ field, comparison, value: '', ...(value === null ? {} : { attribute: value }) })
          }
        />
      )}
      <ValueField condition={condition} choices={choicesOf(condition, labels, attributes)} onChange={onChange} />
    </div>
  );
}

interface ValueFieldProps {
  readonly condition: Condition;
  /** The values to choose from; undefined if any text is possible. */
  readonly choices: readonly string[] | undefined;
  readonly onChange: (condition: Condition) => void;
}

function ValueField({ condition, choices, onChange }: ValueFieldProps): ReactNode {
  const { field, comparison, value } = condition;
  const set = (next: string): void => onChange({ ...condition, value: next });
  if (choices !== undefined) {
    return (
      <Select
        size="xs"
        aria-label="Value"
        placeholder="Value"
        searchable
        data={choices}
        value={value === '' ? null : value}
        onChange={(chosen) => set(chosen ?? '')}
      />
    );
  }
  const isNumber = FIELDS[field].kind === 'number' || comparison === 'at-least' || comparison === 'at-most';
  return isNumber ? (
    <NumberInput
      size="xs"
      aria-label="Value"
      placeholder={field === 'score' ? '0 to 1' : 'Value'}
      value={value}
      onChange={(entered) => set(String(entered))}
    />
  ) : (
    <TextInput
      size="xs"
      aria-label="Value"
      placeholder="Value"
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

/** The attributes of the labels and their elements by name, with the values they can have. */
function attributesOf(labels: readonly Label[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { attributes = [] } of labels.flatMap((label) => [label, ...(label.sublabels ?? [])])) {
    for (const { name, input_type: type, values } of attributes) {
      const own = { select: values, radio: values, checkbox: ['true', 'false'], number: [], text: [] }[type];
      found.set(name, [...new Set([...(found.get(name) ?? []), ...own])]);
    }
  }
  return found;
}

/** @returns undefined if any value is possible */
function choicesOf(
  { field, comparison, attribute = '' }: Condition,
  labels: readonly Label[],
  attributes: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  switch (field) {
    case 'label':
      return [...new Set(labels.flatMap(({ name }) => name ?? []))];
    case 'kind':
      return KINDS;
    case 'type':
      return TYPES;
    case 'state':
      return STATES;
    case 'source':
      return SOURCES;
    case 'attribute': {
      const values = attributes.get(attribute) ?? [];
      return (comparison === 'is' || comparison === 'is-not') && values.length > 0 ? values : undefined;
    }
    default:
      return undefined;
  }
}
