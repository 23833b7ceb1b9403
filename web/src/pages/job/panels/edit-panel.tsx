import { Button, Checkbox, Group, NumberInput, SegmentedControl, Select } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import type { Label } from '../../../app/api';
import { showProblem } from '../../../components/notify';
import { selectLabel } from '../actions/select-label';
import type { Stage } from '../canvas/stage';
import type { Review, Step } from '../data/review';
import type { Action } from '../data/actions';
import { drawsMasks, usableLabels } from '../editing/drawing-label';
import { allowsType } from '../editing/new-objects';
import { type DrawnType, MIN_VERTICES } from '../editing/sketch';
import type { Editing } from '../editing/use-editing';
import { useLatest } from '../use-latest';
import panel from './panel.module.css';

interface EditPanelProps {
  readonly editing: Editing;
  readonly is3d: boolean;
  /** The kinds of shapes that frames can have. */
  readonly kinds: readonly DrawnType[];
  readonly stage: Stage | null;
  readonly review: Review;
  /** Label of the next drawing; undefined if no label can be used. */
  readonly label: Label | undefined;
  readonly onStep: (step: Step) => void;
  readonly onAction: (action: Action) => void;
}

/** The label and mode of the next drawing. */
export function EditPanel({ editing, is3d, kinds, stage, review, label, onStep, onAction }: EditPanelProps): ReactNode {
  const { editor } = editing;
  const onSelect = useLatest((selected: Label) =>
    selectLabel({ stage, review, step: onStep, onError: showProblem }, selected),
  );
  const isTaggable = label !== undefined && allowsType(label, 'tag');
  const tag = label && editor.tagOn(review.frame, label.id);
  const isLocked = tag !== undefined && review.locked.has(tag);
  return (
    <div className={panel['filter']}>
      <Group gap={6} wrap="nowrap">
        <LabelSelect labels={editor.labels} kinds={kinds} selected={label?.id} onSelect={onSelect} />
        <Button
          size="compact-sm"
          variant="default"
          aria-pressed={tag !== undefined}
          disabled={!isTaggable || isLocked}
          onClick={() => (label === undefined ? undefined : editor.toggleTag(review.frame, label.id))}
        >
          Tag
        </Button>
        <KindSwitch drawsTracks={review.drawsTracks} isShape={drawsMasks(review.tool)} onStep={onStep} />
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
  readonly kinds: readonly DrawnType[];
  /** Id of a label. */
  readonly selected: number | undefined;
  readonly onSelect: (label: Label) => void;
}

/** It does not depend on the frame, so another frame does not render it again. The same applies to the next one. */
const LabelSelect = memo(({ labels, kinds, selected, onSelect }: LabelSelectProps): ReactNode => (
  <Select
    size="xs"
    flex={1}
    aria-label="Label of new objects"
    placeholder="No suitable label"
    allowDeselect={false}
    searchable
    data={usableLabels(labels, kinds).map(({ id, name }) => ({ value: String(id), label: name ?? '' }))}
    value={selected === undefined ? null : String(selected)}
    onChange={(value) => {
      const label = labels.find(({ id }) => id === Number(value));
      if (label !== undefined) onSelect(label);
    }}
  />
));

interface KindSwitchProps {
  readonly drawsTracks: boolean;
  /** Whether the tool cannot draw tracks. */
  readonly isShape: boolean;
  readonly onStep: (step: Step) => void;
}

const KindSwitch = memo(({ drawsTracks, isShape, onStep }: KindSwitchProps): ReactNode => (
  <SegmentedControl
    size="xs"
    aria-label="New objects are"
    transitionDuration={0}
    data={[
      { value: 'shape', label: 'Shape' },
      { value: 'track', label: 'Track' },
    ]}
    disabled={isShape}
    value={drawsTracks && !isShape ? 'track' : 'shape'}
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
