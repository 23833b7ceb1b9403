import { Button, Checkbox, Group, NumberInput, SegmentedControl, Select } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import type { Label } from '../../../app/api';
import type { Review, Step } from '../data/review';
import type { Action } from '../data/actions';
import { allowsType } from '../editing/new-objects';
import { type DrawnType, MIN_VERTICES } from '../editing/sketch';
import type { Editing } from '../editing/use-editing';
import panel from './panel.module.css';
import { SaveBar } from './save-bar';

interface EditPanelProps {
  readonly editing: Editing;
  readonly is3d: boolean;
  readonly review: Review;
  /** Label of the next drawing; undefined if the tool cannot draw any label. */
  readonly label: Label | undefined;
  readonly onStep: (step: Step) => void;
  readonly onAction: (action: Action) => void;
}

/** Saving and undo, and the label and mode of the next drawing. */
export function EditPanel({ editing, is3d, review, onStep, onAction, ...props }: EditPanelProps): ReactNode {
  const { editor } = editing;
  const label =
    editor.labels.find(({ id }) => id === review.labelId) ??
    props.label ??
    editor.labels.find(({ type }) => type === 'tag');
  const isTaggable = label !== undefined && allowsType(label, 'tag');
  const tag = label && editor.tagOn(review.frame, label.id);
  const isLocked = tag !== undefined && review.locked.has(tag);
  return (
    <div className={panel['filter']}>
      <SaveBar editing={editing} onAction={onAction} />
      <Group gap={6} wrap="nowrap" mt={6}>
        <LabelSelect labels={editor.labels} drawing={review.drawing} selected={label?.id} onStep={onStep} />
        <Button
          size="compact-sm"
          variant="default"
          disabled={!isTaggable || isLocked}
          onClick={() => (label === undefined ? undefined : editor.toggleTag(review.frame, label.id))}
        >
          Tag
        </Button>
        <KindSwitch drawsTracks={review.drawsTracks} onStep={onStep} />
      </Group>
      {review.tool === 'rectangle' && (
        <DrawingWay
          name="Draw rectangles by"
          ways={['Two corners', 'Extreme points']}
          isSecond={review.takesExtremePoints}
          onChange={(takesExtremePoints) => onStep({ do: 'set', values: { takesExtremePoints } })}
        />
      )}
      {review.tool === 'cuboid' && !is3d && (
        <DrawingWay
          name="Draw cuboids by"
          ways={['Front', 'Four points']}
          isSecond={review.takesFourPoints}
          onChange={(takesFourPoints) => onStep({ do: 'set', values: { takesFourPoints } })}
        />
      )}
      {(review.tool === 'polygon' || review.tool === 'polyline' || review.tool === 'points') && (
        <NumberInput
          size="xs"
          mt={6}
          aria-label="Number of points"
          placeholder="Number of points: any"
          min={MIN_VERTICES[review.tool]}
          max={1000}
          allowDecimal={false}
          allowNegative={false}
          prefix="Number of points: "
          value={review.pointLimit ?? ''}
          onChange={(value) =>
            onStep({ do: 'set', values: { pointLimit: typeof value === 'number' && value > 0 ? value : undefined } })
          }
        />
      )}
      {(review.tool === 'polygon' || review.tool === 'polyline') && (
        <Checkbox
          size="xs"
          mt={6}
          label="Snap to outlines (Ctrl)"
          checked={review.snaps}
          onChange={() => onAction('toggle-snapping')}
        />
      )}
    </div>
  );
}

interface LabelSelectProps {
  readonly labels: readonly Label[];
  readonly drawing: DrawnType;
  /** Id of a label. */
  readonly selected: number | undefined;
  readonly onStep: (step: Step) => void;
}

/** It does not depend on the frame, so another frame does not render it again. The same applies to the next one. */
const LabelSelect = memo(({ labels, drawing, selected, onStep }: LabelSelectProps): ReactNode => (
  <Select
    size="xs"
    flex={1}
    aria-label="Label of new objects"
    placeholder="No suitable label"
    allowDeselect={false}
    searchable
    data={labels
      .filter(({ type }) => type === 'any' || type === drawing || type === 'tag')
      .map(({ id, name }) => ({ value: String(id), label: name ?? '' }))}
    value={selected === undefined ? null : String(selected)}
    onChange={(value) => onStep({ do: 'set', values: { labelId: value === null ? null : Number(value) } })}
  />
));

interface KindSwitchProps {
  readonly drawsTracks: boolean;
  readonly onStep: (step: Step) => void;
}

const KindSwitch = memo(({ drawsTracks, onStep }: KindSwitchProps): ReactNode => (
  <SegmentedControl
    size="xs"
    aria-label="New objects are"
    transitionDuration={0}
    data={[
      { value: 'shape', label: 'Shape' },
      { value: 'track', label: 'Track' },
    ]}
    value={drawsTracks ? 'track' : 'shape'}
    onChange={(value) => onStep({ do: 'set', values: { drawsTracks: value === 'track' } })}
  />
));

interface DrawingWayProps {
  readonly name: string;
  readonly ways: readonly [string, string];
  /** Whether the second way is selected. */
  readonly isSecond: boolean;
  readonly onChange: (isSecond: boolean) => void;
}

/** Selects one of two ways to draw a shape. */
const DrawingWay = ({ name, ways, isSecond, onChange }: DrawingWayProps): ReactNode => (
  <SegmentedControl
    size="xs"
    mt={6}
    fullWidth
    aria-label={name}
    transitionDuration={0}
    data={[...ways]}
    value={ways[isSecond ? 1 : 0]}
    onChange={(way) => onChange(way === ways[1])}
  />
);
