import { ActionIcon, Button, FileButton, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useState } from 'react';
import { Icon } from '../icons';
import type { DraftLabel } from './draft';
import { type Drawing, type Joint, readDrawing, withoutJoint, withToggledEdge, writeDrawing } from './skeleton';
import classes from './skeleton-editor.module.css';

interface SkeletonEditorProps {
  readonly label: DraftLabel;
  readonly onChange: (part: Pick<DraftLabel, 'sublabels' | 'svg'>) => void;
}

/** Edits the points of a skeleton and the lines between them, in a drawing or in a table with the same functions. */
export function SkeletonEditor({ label, onChange }: SkeletonEditorProps): ReactNode {
  const drawing = readDrawing(
    label.svg,
    label.sublabels.map(({ name }) => name),
  );
  const [image, setImage] = useState<string | null>(null);
  const [selected, setSelected] = useState<number | null>(null);
  useEffect(() => () => (image === null ? undefined : URL.revokeObjectURL(image)), [image]);

  const change = (next: Drawing): void =>
    onChange({
      svg: writeDrawing(next),
      sublabels: next.joints.map(({ name }, index) => ({ ...sublabelOf(label, drawing, next, index), name })),
    });
  const setJoint = (index: number, part: Partial<Joint>): void =>
    change({ ...drawing, joints: drawing.joints.map((joint, at) => (at === index ? { ...joint, ...part } : joint)) });
  const add = (x: number, y: number): void => {
    setSelected(drawing.joints.length);
    change({ ...drawing, joints: [...drawing.joints, { name: freeName(drawing), x, y }] });
  };

  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Click to add a point and drag to move it. To connect or disconnect two points, select one and Shift-click the
          other.
        </Text>
        <FileButton accept="image/*" onChange={(file) => setImage(file === null ? null : URL.createObjectURL(file))}>
          {(props) => (
            <Button {...props} size="xs" variant="default" leftSection={<Icon name="image" size={14} />}>
              Set background image
            </Button>
          )}
        </FileButton>
      </Group>
      <div className={classes['columns']}>
        <Board
          drawing={drawing}
          color={label.color}
          image={image}
          selected={selected}
          onSelect={setSelected}
          onAdd={add}
          onMove={setJoint}
          onJoin={(a, b) => change(withToggledEdge(drawing, a, b))}
        />
        <Stack gap={6}>
          {drawing.joints.map((joint, index) => (
            <JointRow
              key={index}
              drawing={drawing}
              index={index}
              onChange={(part) => setJoint(index, part)}
              onJoin={(other) => change(withToggledEdge(drawing, index, other))}
              onRemove={() => {
                setSelected(null);
                change(withoutJoint(drawing, index));
              }}
              joint={joint}
            />
          ))}
          <Button
            size="xs"
            variant="default"
            w="fit-content"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => add(50, 50)}
          >
            Add point
          </Button>
        </Stack>
      </div>
    </Stack>
  );
}

/** Matches sublabels to points by name, so that colours and attributes are kept. */
function sublabelOf(label: DraftLabel, before: Drawing, next: Drawing, index: number) {
  const isSame = before.joints.length === next.joints.length;
  const name = isSame ? before.joints[index]?.name : next.joints[index]?.name;
  return label.sublabels.find((sublabel) => sublabel.name === name);
}

function freeName({ joints }: Drawing): string {
  const names = new Set(joints.map(({ name }) => name));
  for (let number = joints.length + 1; ; number += 1) if (!names.has(String(number))) return String(number);
}

interface BoardProps {
  readonly drawing: Drawing;
  readonly color: string;
  readonly image: string | null;
  readonly selected: number | null;
  readonly onSelect: (index: number | null) => void;
  readonly onAdd: (x: number, y: number) => void;
  readonly onMove: (index: number, position: { x: number; y: number }) => void;
  readonly onJoin: (from: number, to: number) => void;
}

const STEP = 1;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

function Board({ drawing, color, image, selected, onSelect, onAdd, onMove, onJoin }: BoardProps): ReactNode {
  const [dragged, setDragged] = useState<number | null>(null);
  const positionOf = (event: PointerEvent<Element>): { x: number; y: number } => {
    const box = (event.currentTarget.closest('svg') ?? event.currentTarget).getBoundingClientRect();
    return { x: percent((event.clientX - box.left) / box.width), y: percent((event.clientY - box.top) / box.height) };
  };
  const press = (event: PointerEvent<SVGSVGElement>): void => {
    if (event.target instanceof SVGCircleElement) return;
    const { x, y } = positionOf(event);
    onAdd(x, y);
  };
  const pressJoint = (event: PointerEvent<SVGCircleElement>, index: number): void => {
    if (event.shiftKey && selected !== null && selected !== index) return onJoin(selected, index);
    onSelect(index);
    setDragged(index);
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const pressKey = (event: KeyboardEvent, index: number, { x, y }: Joint): void => {
    const [dx, dy] = ARROWS[event.key] ?? [];
    if (dx === undefined || dy === undefined) return;
    event.preventDefault();
    onMove(index, { x: bounded(x + dx), y: bounded(y + dy) });
  };
  return (
    <div className={classes['board']}>
      {image !== null && <img src={image} alt="" />}
      <svg
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        onPointerDown={press}
        role="group"
        aria-label="Skeleton drawing"
      >
        {drawing.edges.map(([from, to]) => {
          const [a, b] = [drawing.joints[from], drawing.joints[to]];
          return a && b ? (
            <line
              key={`${from}-${to}`}
              x1={a.x}
              y1={a.y}
              x2={b.x}
              y2={b.y}
              stroke={color}
              strokeWidth={2.5}
              vectorEffect="non-scaling-stroke"
            />
          ) : null;
        })}
        {drawing.joints.map((joint, index) => (
          <circle
            key={index}
            cx={joint.x}
            cy={joint.y}
            r={2.2}
            fill={color}
            stroke={index === selected ? 'var(--mantine-color-text)' : 'var(--surface)'}
            strokeWidth={2}
            vectorEffect="non-scaling-stroke"
            tabIndex={0}
            role="button"
            aria-label={`Point ${joint.name}. Move it with the arrow keys.`}
            onFocus={() => onSelect(index)}
            onPointerDown={(event) => pressJoint(event, index)}
            onPointerMove={(event) => (dragged === index ? onMove(index, positionOf(event)) : undefined)}
            onPointerUp={() => setDragged(null)}
            onKeyDown={(event) => pressKey(event, index, joint)}
          />
        ))}
      </svg>
    </div>
  );
}

const bounded = (value: number): number => Math.min(100, Math.max(0, value));
const percent = (share: number): number => Math.round(bounded(share * 100) * 100) / 100;

interface JointRowProps {
  readonly drawing: Drawing;
  readonly index: number;
  readonly joint: Joint;
  readonly onChange: (part: Partial<Joint>) => void;
  readonly onJoin: (other: number) => void;
  readonly onRemove: () => void;
}

function JointRow({ drawing, index, joint, onChange, onJoin, onRemove }: JointRowProps): ReactNode {
  const others = drawing.joints.flatMap(({ name }, other) => {
    if (other === index) return [];
    const isJoined = drawing.edges.some((edge) => edge.includes(index) && edge.includes(other));
    return [{ value: String(other), label: `${isJoined ? 'Disconnect from' : 'Connect to'} ${name}` }];
  });
  return (
    <Group gap={6} wrap="nowrap">
      <TextInput
        size="xs"
        aria-label={`Name of point ${index + 1}`}
        value={joint.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <NumberInput
        size="xs"
        w={64}
        hideControls
        aria-label={`Point ${joint.name}, distance from the left in percent`}
        min={0}
        max={100}
        value={joint.x}
        onChange={(x) => onChange({ x: Number(x) })}
      />
      <NumberInput
        size="xs"
        w={64}
        hideControls
        aria-label={`Point ${joint.name}, distance from the top in percent`}
        min={0}
        max={100}
        value={joint.y}
        onChange={(y) => onChange({ y: Number(y) })}
      />
      <Select
        size="xs"
        w={120}
        aria-label={`Lines of point ${joint.name}`}
        placeholder="Lines"
        data={others}
        value={null}
        onChange={(other) => (other === null ? undefined : onJoin(Number(other)))}
      />
      <ActionIcon variant="subtle" color="red" aria-label={`Remove point ${joint.name}`} onClick={onRemove}>
        <Icon name="trash" size={16} />
      </ActionIcon>
    </Group>
  );
}
