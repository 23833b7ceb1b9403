import { ActionIcon, Button, Group, Modal, Stack, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { counted } from '../../../components/counted';
import { Icon, type IconName } from '../../../components/icons';
import type { Action } from '../data/shortcuts';
import type { Editing } from '../editing/use-editing';
import { useTitleWithKeys } from '../settings/use-shortcuts';

const STATES = {
  saved: 'All changes saved',
  unsaved: 'Unsaved changes',
  saving: 'Saving …',
  failed: 'Not saved',
} as const;

interface SaveBarProps {
  readonly editing: Editing;
  readonly onAction: (action: Action) => void;
}

/** Saving, undo and redo, and the decision about objects that somebody else has changed, too. */
export function SaveBar({ editing, onAction }: SaveBarProps): ReactNode {
  const { editor, state, error } = editing;
  const { undo, redo } = editor.document.next;
  const withKeys = useTitleWithKeys();
  const step = (icon: IconName, title: string, action: Action, isPossible: boolean): ReactNode => (
    <Tooltip label={withKeys(title, action)} openDelay={400}>
      <ActionIcon
        variant="default"
        size={28}
        aria-label={title}
        disabled={!isPossible}
        onClick={() => onAction(action)}
      >
        <Icon name={icon} size={16} />
      </ActionIcon>
    </Tooltip>
  );
  return (
    <>
      <Group gap={6} wrap="nowrap">
        <Button
          size="compact-sm"
          flex="none"
          disabled={state === 'saved'}
          loading={state === 'saving'}
          onClick={() => onAction('save')}
        >
          Save
        </Button>
        {step('undo', undo === undefined ? 'Undo' : `Undo: ${undo.title}`, 'undo', undo !== undefined)}
        {step('redo', redo === undefined ? 'Redo' : `Redo: ${redo.title}`, 'redo', redo !== undefined)}
        <Text size="xs" c={state === 'failed' ? 'red' : 'dimmed'} role="status" lineClamp={2}>
          {STATES[state]}
          {state === 'failed' && error instanceof Error && `: ${error.message}`}
        </Text>
      </Group>
      <Conflicts editing={editing} />
    </>
  );
}

/** Asks which version to keep of an object that another user has changed, too. */
function Conflicts({ editing: { conflicts, settle, editor } }: { readonly editing: Editing }): ReactNode {
  const [conflict] = conflicts;
  if (conflict === undefined) return null;
  const { mine, theirs } = conflict;
  const object = mine ?? theirs;
  const name = editor.labels.find(({ id }) => id === object?.value.label_id)?.name ?? 'An object';
  const id = editor.document.idOf(conflict.key);
  return (
    <Modal
      opened
      onClose={() => settle(conflict, 'mine')}
      title="Somebody else has changed the same object"
      closeButtonProps={{ 'aria-label': 'Keep my version' }}
    >
      <Stack>
        <Text size="sm">
          {name} {id === undefined ? '' : `#${id}`} was {theirs === undefined ? 'deleted' : 'changed'} by somebody else
          after you opened the job, and you have {mine === undefined ? 'deleted' : 'changed'} it, too. Which version do
          you want to keep? {conflicts.length > 1 && `${counted(conflicts.length - 1, 'more conflict')} to resolve.`}
        </Text>
        <Group>
          <Button onClick={() => settle(conflict, 'mine')}>Keep mine</Button>
          <Button variant="default" onClick={() => settle(conflict, 'theirs')}>
            Keep theirs
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
