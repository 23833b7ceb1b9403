import { Alert, Button, Checkbox, NumberInput, Select, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useDraft } from '../../../app/drafts';
import type { Editor } from '../editing/editor';
import { allowsType } from '../editing/new-objects';
import { type DrawnType, hasVertices, MIN_VERTICES } from '../editing/sketch';
import type { FrameSet } from '../frames/frame-set';
import panel from '../panels/panel.module.css';
import { occupied } from '../scene/timeline';
import { type ModePanelProps, useModeActions } from './mode-actions';

interface Options {
  readonly labelId: number | null;
  readonly type: DrawnType | null;
  readonly advances: boolean;
  readonly skips: boolean;
  /** The number of points of each shape; null: any. */
  readonly points: number | null;
}

const NEW_OPTIONS: Options = { labelId: null, type: null, advances: true, skips: false, points: null };

/** Draws objects with one label and one type of shape. Drawing starts immediately, and the panel can go to the next frame. */
export function SingleShapePanel(props: ModePanelProps): ReactNode {
  const { frames, kinds, review, editing, stage, shownFrame, onModeActions, onAction, onStep } = props;
  const { editor } = editing;
  const { frame, tool } = review;
  const [options, setOptions] = useDraft('single shape mode', NEW_OPTIONS);
  const [doneAt, setDoneAt] = useState<number | null>(null);
  const labels = editor.labels.filter((label) => typesOf(label, kinds).length > 0);
  const label = labels.find(({ id }) => id === options.labelId) ?? labels[0];
  const types = label === undefined ? [] : typesOf(label, kinds);
  const type = types.find((each) => each === options.type) ?? types[0];
  const isDone = doneAt === frame;
  const isPossible = type !== undefined && !isDone && !frames.isDeleted(frame);
  const limit = type !== undefined && hasVertices(type) ? (options.points ?? undefined) : undefined;

  useEffect(() => {
    if (label !== undefined) onStep({ do: 'select-label', label });
    onStep({ do: 'set', values: { drawsTracks: false } });
  }, [label, onStep]);
  useEffect(() => {
    onStep({ do: 'use', tool: isPossible ? type : 'select' });
  }, [isPossible, type, frame, onStep]);
  useEffect(() => {
    stage?.setPointLimit(limit);
    return () => stage?.setPointLimit(undefined);
  }, [stage, limit]);

  const advance = (): void => {
    const taken = takenIn(editor, frames);
    const isWanted = (number: number): boolean => !options.skips || taken[frames.position(number)] === 0;
    const next = frames.find(frame, true, (number) => !frames.isDeleted(number) && isWanted(number));
    if (next === undefined) setDoneAt(frame);
    else onStep({ do: 'go', to: next });
  };
  const draw = (): void => {
    if (tool === type) stage?.finish();
    else if (type !== undefined && !frames.isDeleted(frame)) onStep({ do: 'use', tool: type });
  };
  useModeActions(onModeActions, {
    ...(tool === 'mask' ? {} : { draw }), // a mask is finished as in the other modes
    onDrawn: () => (options.advances && shownFrame === frame ? advance() : undefined),
  });

  const set = (values: Partial<Options>): void => setOptions((before) => ({ ...before, ...values }));
  return (
    <>
      <div className={panel['filter']}>
        <Text size="xs" c="dimmed" role="status">
          {statusOf(tool === type, frames.isDeleted(frame), frame)}
        </Text>
      </div>
      <Stack gap={10} p={12} className={panel['scroll'] ?? ''}>
        <Select
          size="xs"
          label="Label"
          placeholder="No suitable label"
          allowDeselect={false}
          data={labels.map(({ id, name }) => ({ value: String(id), label: name ?? '' }))}
          value={label === undefined ? null : String(label.id)}
          onChange={(value) => set({ labelId: Number(value) })}
        />
        <Select
          size="xs"
          label="Shape"
          allowDeselect={false}
          data={[...types]}
          value={type ?? null}
          onChange={(value) => set({ type: types.find((each) => each === value) ?? null })}
        />
        {type !== undefined && hasVertices(type) && (
          <NumberInput
            size="xs"
            label="Number of points"
            description="The shape is complete when it has this number. If empty, press N to complete it."
            min={MIN_VERTICES[type]}
            max={1000}
            allowDecimal={false}
            value={options.points ?? ''}
            onChange={(value) => set({ points: typeof value === 'number' && value > 0 ? value : null })}
          />
        )}
        <Checkbox
          size="xs"
          label="Go to the next frame after drawing"
          checked={options.advances}
          onChange={(event) => set({ advances: event.currentTarget.checked })}
        />
        <Checkbox
          size="xs"
          label="Skip frames that have an object"
          checked={options.skips}
          onChange={(event) => set({ skips: event.currentTarget.checked })}
        />
        {isDone && (
          <Alert title="This was the last frame" variant="light" role="status">
            <Stack gap={8} align="flex-start">
              {`${takenIn(editor, frames).reduce((sum, each) => sum + each, 0)} of ${frames.count} frames have an object.`}
              <Button size="xs" disabled={editing.state === 'saved'} onClick={() => onAction('save')}>
                Save all
              </Button>
            </Stack>
          </Alert>
        )}
      </Stack>
    </>
  );
}

const typesOf = (label: Editor['labels'][number], kinds: readonly DrawnType[]): readonly DrawnType[] =>
  kinds.filter((type) => allowsType(label, type));

/** For each frame 1 if it has a visible object, otherwise 0. */
function takenIn(editor: Editor, { numbers }: FrameSet): Readonly<Uint8Array> {
  const objects = Array.from(editor.document.entries());
  return occupied(
    objects.filter(([, { kind }]) => kind !== 'tag'),
    numbers,
  );
}

function statusOf(isDrawing: boolean, isDeleted: boolean, frame: number): string {
  if (isDeleted) return 'This frame is deleted. Press F for the next one.';
  return isDrawing ? `Draw on frame ${frame}, or press F to skip it.` : 'Press N to draw.';
}
