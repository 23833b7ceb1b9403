import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { counted } from '../../../components/counted';
import { Hint } from '../../../components/hint';
import { Icon, type IconName } from '../../../components/icons';
import type { Action } from '../data/actions';
import type { Editing } from '../editing/use-editing';
import { ConflictsDialog } from '../dialogs';
import { Undecided } from '../editing/saver';
import { useTitleWithKeys } from '../settings/use-shortcuts';

const STATES = {
  saved: 'All changes saved',
  unsaved: 'Unsaved changes',
  saving: 'Saving …',
  waiting: 'The server does not respond. Your browser keeps the changes. Trying again …',
  failed: 'Not saved',
} as const;

interface SaveBarProps {
  readonly editing: Editing;
  readonly onAction: (action: Action) => void;
}

/** Saving, undo and redo, and conflicts with what others have saved. */
export const SaveBar = memo(function SaveBar({ editing, onAction }: SaveBarProps): ReactNode {
  const { editor, state, error, conflicts } = editing;
  const { undo, redo } = editor.document.next;
  const withKeys = useTitleWithKeys();
  const step = (icon: IconName, title: string, action: Action, isPossible: boolean): ReactNode => (
    <Hint label={withKeys(title, action)}>
      <ActionIcon
        variant="default"
        size={28}
        aria-label={title}
        disabled={!isPossible}
        onClick={() => onAction(action)}
      >
        <Icon name={icon} size={16} />
      </ActionIcon>
    </Hint>
  );
  return (
    <>
      <Group gap={6} wrap="nowrap">
        <Button
          size="compact-sm"
          flex="none"
          disabled={state === 'saved'}
          loading={state === 'saving' || state === 'waiting'}
          onClick={() => onAction('save')}
        >
          Save
        </Button>
        {step('undo', undo === undefined ? 'Undo' : `Undo: ${undo.title}`, 'undo', undo !== undefined)}
        {step('redo', redo === undefined ? 'Redo' : `Redo: ${redo.title}`, 'redo', redo !== undefined)}
        <Text size="xs" c={state === 'failed' || state === 'waiting' ? 'red' : 'dimmed'} role="status" lineClamp={2}>
          {STATES[state]}
          {state === 'failed' && error instanceof Error && !(error instanceof Undecided) && `: ${error.message}`}
        </Text>
      </Group>
      {conflicts.length > 0 && (
        <Group gap={6} mt={6} wrap="nowrap" justify="space-between">
          <Text size="xs" role="status">
            {counted(conflicts.length, 'object was', 'objects were')} also changed by somebody else.
          </Text>
          <Button size="compact-xs" variant="default" flex="none" onClick={() => editing.showConflicts(true)}>
            Decide
          </Button>
        </Group>
      )}
      <ConflictsDialog opened={editing.isDeciding && conflicts.length > 0} editing={editing} />
    </>
  );
});
