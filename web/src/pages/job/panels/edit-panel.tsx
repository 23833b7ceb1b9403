import { ActionIcon, Button, Group, Modal, SegmentedControl, Select, Stack, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Label } from '../../../app/api';
import { counted } from '../../../components/counted';
import { Icon, type IconName } from '../../../components/icons';
import type { Review, Step } from '../data/review';
import type { Action } from '../data/shortcuts';
import { allowsType } from '../editing/editor';
import type { Editing } from '../editing/use-editing';
import panel from './panel.module.css';

interface EditPanelProps {
  readonly editing: Editing;
  readonly review: Review;
  /** Label of the next drawing; undefined if the tool cannot draw any label. */
  readonly label: Label | undefined;
  readonly onStep: (step: Step) => void;
  readonly onAction: (action: Action) => void;
}

const STATES = {
  saved: 'All changes saved',
  unsaved: 'Unsaved changes',
  saving: 'Saving …',
  failed: 'Not saved',
} as const;

/** Saving and undo, and the label and mode of the next drawing. */
export function EditPanel({ editing, review, onStep, onAction, ...props }: EditPanelProps): ReactNode {
  const { editor, state, error } = editing;
  const label =
    editor.labels.find(({ id }) => id === review.labelId) ??
    props.label ??
    editor.labels.find(({ type }) => type === 'tag');
  const { undo, redo } = editor.document.next;
  const step = (icon: IconName, title: string, keys: string, action: Action, isPossible: boolean): ReactNode => (
    <Tooltip label={`${title} (${keys})`} openDelay={400}>
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
  const labels = editor.labels.filter(({ type }) => type === 'any' || type === review.drawing || type === 'tag');
  const isTaggable = label !== undefined && allowsType(label, 'tag');
  const tag = label && editor.tagOn(review.frame, label.id);
  const isLocked = tag !== undefined && review.locked.has(tag);
  return (
    <div className={panel['filter']}>
      <Group gap={6} wrap="nowrap">
        <Button
          size="compact-sm"
          disabled={state === 'saved'}
          loading={state === 'saving'}
          onClick={() => onAction('save')}
        >
          Save
        </Button>
        {step('undo', undo === undefined ? 'Undo' : `Undo: ${undo.title}`, 'Ctrl + Z', 'undo', undo !== undefined)}
        {step(
          'redo',
          redo === undefined ? 'Redo' : `Redo: ${redo.title}`,
          'Ctrl + Shift + Z',
          'redo',
          redo !== undefined,
        )}
        <Text size="xs" c={state === 'failed' ? 'red' : 'dimmed'} role="status" lineClamp={2}>
          {STATES[state]}
          {state === 'failed' && error instanceof Error && `: ${error.message}`}
        </Text>
      </Group>
      <Group gap={6} wrap="nowrap" mt={6}>
        <Select
          size="xs"
          flex={1}
          aria-label="Label of new objects"
          placeholder="No suitable label"
          allowDeselect={false}
          searchable
          data={labels.map(({ id, name }) => ({ value: String(id), label: name ?? '' }))}
          value={label === undefined ? null : String(label.id)}
          onChange={(value) => onStep({ do: 'set', values: { labelId: value === null ? null : Number(value) } })}
        />
        <Button
          size="compact-sm"
          variant="default"
          disabled={!isTaggable || isLocked}
          onClick={() => (label === undefined ? undefined : editor.toggleTag(review.frame, label.id))}
        >
          Tag
        </Button>
        <SegmentedControl
          size="xs"
          aria-label="New objects are"
          transitionDuration={0}
          data={[
            { value: 'shape', label: 'Shape' },
            { value: 'track', label: 'Track' },
          ]}
          value={review.drawsTracks ? 'track' : 'shape'}
          onChange={(value) => onStep({ do: 'set', values: { drawsTracks: value === 'track' } })}
        />
      </Group>
      <Conflicts editing={editing} />
    </div>
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
