import { Checkbox, Kbd, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useDraft } from '../../../app/drafts';
import { DIGITS } from '../data/actions';
import { allowsType } from '../editing/new-objects';
import panel from '../panels/panel.module.css';
import { cleanColor } from '../scene/scene';
import { type ModeActions, type ModePanelProps, useModeActions } from './mode-actions';
import classes from './choices.module.css';

/** Tags whole frames: one button and one digit for each label. */
export function TagsPanel({ frames, review, editing, onModeActions, onStep }: ModePanelProps): ReactNode {
  const [options, setOptions] = useDraft('tags mode', { advances: false });
  const { frame } = review;
  const { editor } = editing;
  const labels = editor.labels.filter((label) => allowsType(label, 'tag'));
  const tags = new Map(labels.map(({ id }) => [id, editor.tagOn(frame, id)]));
  const isTagged = (labelId: number): boolean => tags.get(labelId) !== undefined;
  const isFixed = (labelId: number): boolean => frames.isDeleted(frame) || review.locked.has(tags.get(labelId) ?? '');
  const toggle = (labelId: number): void => {
    if (isFixed(labelId)) return;
    editor.toggleTag(frame, labelId);
    if (options.advances && !isTagged(labelId)) onStep({ do: 'step', by: 1 });
  };
  const count = labels.filter(({ id }) => isTagged(id)).length;
  const actions: ModeActions = {};
  for (const [at, digit] of DIGITS.entries()) {
    const label = labels[at];
    if (label !== undefined) actions[`choose-${digit}`] = () => toggle(label.id);
  }
  useModeActions(onModeActions, actions);
  return (
    <>
      <div className={panel['filter']}>
        <Checkbox
          size="xs"
          label="Go to the next frame after adding a tag"
          checked={options.advances}
          onChange={(event) => setOptions({ advances: event.currentTarget.checked })}
        />
        <Text size="xs" c="dimmed" role="status">
          {frames.isDeleted(frame) ? 'This frame is deleted.' : `Frame ${frame}: ${count} of ${labels.length} tags`}
        </Text>
      </div>
      <div className={panel['scroll']}>
        {labels.length === 0 && (
          <Text size="sm" c="dimmed" p="sm">
            No label of this job can be used for tags.
          </Text>
        )}
        <ul className={classes['choices']} aria-label="Tags">
          {labels.map(({ id, name, color }, at) => (
            <li key={id}>
              <button
                type="button"
                className={classes['choice']}
                aria-pressed={isTagged(id)}
                disabled={isFixed(id)}
                onClick={() => toggle(id)}
              >
                <span className={classes['swatch']} style={{ background: cleanColor(color ?? '') }} />
                <span className={classes['name']}>{name}</span>
                {DIGITS[at] !== undefined && <Kbd size="xs">{DIGITS[at]}</Kbd>}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
