import { ActionIcon, Button, Group, Kbd, Stack, Text, TextInput, Title } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { Icon } from '../../../components/icons';
import type { Action } from '../data/actions';
import { startsSequence } from '../data/keys';
import {
  type Combination,
  combinationOf,
  type CustomKeys,
  nameOf,
  problemOf,
  rowsOf,
  type ShortcutRow,
} from './custom-shortcuts';
import { changeSettings } from './settings';
import classes from './settings-dialog.module.css';

/** Changes the keys of the actions. */
export function ShortcutsSettings({ keys }: { readonly keys: CustomKeys }): ReactNode {
  const [search, setSearch] = useState('');
  const [recording, setRecording] = useState<Action | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const set = (action: Action, combinations: readonly Combination[]): void =>
    changeSettings({ keys: { ...keys, [action]: combinations } });
  const add = (row: ShortcutRow, combination: Combination): void => {
    const found = problemOf(combination, row.action, keys);
    setProblem(found ?? null);
    if (found !== undefined) return;
    set(row.action, [...row.combinations, combination]);
    setRecording(null);
  };
  const record = (action: Action | null): void => {
    setRecording(action);
    setProblem(null);
  };
  const wanted = search.trim().toLowerCase();
  const fits = ({ title, combinations }: ShortcutRow): boolean =>
    [title, ...combinations.map(nameOf)].some((text) => text.toLowerCase().includes(wanted));
  return (
    <Stack gap="sm">
      <Group wrap="nowrap">
        <TextInput
          flex={1}
          aria-label="Search shortcuts"
          placeholder="Search: action or keys"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Button
          variant="default"
          disabled={Object.keys(keys).length === 0}
          onClick={() => {
            record(null);
            changeSettings({ keys: {} });
          }}
        >
          Reset all
        </Button>
      </Group>
      {rowsOf(keys).map(({ title, rows }) => {
        const found = rows.filter(fits);
        return found.length === 0 ? null : (
          <div key={title} role="group" aria-label={title}>
            <Title order={3} size="h5">
              {title}
            </Title>
            {found.map((row) => (
              <Row
                key={row.action}
                row={row}
                isChanged={keys[row.action] !== undefined}
                isRecording={recording === row.action}
                problem={recording === row.action ? problem : null}
                onRecord={record}
                onAdd={(combination) => add(row, combination)}
                onRemove={(name) =>
                  set(
                    row.action,
                    row.combinations.filter((one) => nameOf(one) !== name),
                  )
                }
                onReset={() => reset(row, keys, setProblem, record)}
              />
            ))}
          </div>
        );
      })}
    </Stack>
  );
}

/** Returns to the default keys, unless another action uses them now. */
function reset(
  { action }: ShortcutRow,
  keys: CustomKeys,
  onProblem: (problem: string) => void,
  onRecord: (action: Action) => void,
): void {
  const { [action]: _own, ...others } = keys;
  const defaults =
    rowsOf({})
      .flatMap(({ rows }) => rows)
      .find((row) => row.action === action)?.combinations ?? [];
  const problems = defaults.flatMap((combination) => problemOf(combination, action, { ...others, [action]: [] }) ?? []);
  const [first] = problems;
  if (first === undefined) return changeSettings({ keys: others });
  onRecord(action);
  onProblem(first);
}

interface RowProps {
  readonly row: ShortcutRow;
  readonly isChanged: boolean;
  readonly isRecording: boolean;
  readonly problem: string | null;
  readonly onRecord: (action: Action | null) => void;
  readonly onAdd: (combination: Combination) => void;
  readonly onRemove: (name: string) => void;
  readonly onReset: () => void;
}

function Row(props: RowProps): ReactNode {
  const { row, isChanged, isRecording, problem, onRecord, onAdd, onRemove, onReset } = props;
  const [isSecond, setSecond] = useState(false);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isRecording || event.key === 'Tab') return; // Tab leaves the button
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') return onRecord(null);
    if (!isSecond && startsSequence(event)) return setSecond(true);
    const combination = combinationOf(event, isSecond ? 't' : undefined);
    if (combination === undefined) return;
    setSecond(false);
    onAdd(combination);
  };
  return (
    <div className={classes['shortcut']}>
      <Text size="sm">{row.title}</Text>
      {row.combinations.map((combination) => {
        const name = nameOf(combination);
        return (
          <Group key={name} gap={2} wrap="nowrap">
            <Kbd>{name}</Kbd>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={24}
              aria-label={`Remove ${name} from “${row.title}”`}
              onClick={() => onRemove(name)}
            >
              <Icon name="close" size={14} />
            </ActionIcon>
          </Group>
        );
      })}
      <Button
        size="compact-sm"
        variant={isRecording ? 'filled' : 'default'}
        aria-label={isRecording ? `Press the keys for “${row.title}”` : `Add keys to “${row.title}”`}
        onClick={() => onRecord(isRecording ? null : row.action)}
        onBlur={() => setSecond(false)}
        onKeyDown={onKeyDown}
      >
        {isRecording ? (isSecond ? 'T …' : 'Press keys …') : 'Add'}
      </Button>
      {isChanged && (
        <Button size="compact-sm" variant="subtle" aria-label={`Reset “${row.title}”`} onClick={onReset}>
          Reset
        </Button>
      )}
      {problem !== null && (
        <Text size="sm" c="red" role="alert" w="100%">
          {problem}
        </Text>
      )}
    </div>
  );
}
