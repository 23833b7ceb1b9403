import type { Conflict } from '#shared/annotations/editing/document';
import type { EditedObject } from '#shared/annotations/editing/edited-object';
import { TrackFrames } from '#shared/annotations/interpolate';
import type { Shape } from '#shared/annotations/model';
import { isSpatialCuboid } from '#shared/annotations/spatial-cuboid';
import type { Label } from '../../../app/api';
import { counted } from '../../../components/counted';
import { type Bounds, boundsOf, type Drawing, drawingsOf } from '../scene/drawing';

/** A value of both versions of an object, as text; undefined: the version does not have it. */
export interface ComparedValue {
  readonly name: string;
  readonly mine: string | undefined;
  readonly theirs: string | undefined;
  readonly differs: boolean;
}

interface Value {
  readonly name: string;
  readonly text: string;
  /** What decides whether versions differ, if it is more than the text. */
  readonly raw?: unknown;
}

/** The frame on which two versions are compared: the first one on which they differ. */
export function conflictFrame({ mine, theirs }: Conflict): number {
  const keyframes = [mine, theirs].flatMap((object) =>
    object?.kind === 'track' ? new TrackFrames(object.value).keyframeNumbers() : [],
  );
  const differing = keyframes
    .toSorted((a, b) => a - b)
    .find((frame) => JSON.stringify(shapeOn(mine, frame)) !== JSON.stringify(shapeOn(theirs, frame)));
  return differing ?? keyframes[0] ?? (mine ?? theirs)?.value.frame ?? 0;
}

/** The shape of an object on a frame; undefined for tags, and where a track is not visible. */
export function shapeOn(object: EditedObject | undefined, frame: number): Shape | undefined {
  if (object?.kind === 'shape') return object.value;
  const shape = object?.kind === 'track' ? new TrackFrames(object.value).at(frame) : undefined;
  return shape?.outside === true ? undefined : shape;
}

/** Cuboids of point clouds are drawn as seen from above. */
export function drawingOf(shape: Shape | undefined): Drawing[] {
  if (shape === undefined) return [];
  if (isSpatialCuboid(shape.points)) return [fromAbove(shape.points)];
  return [shape, ...shape.elements.filter(({ outside }) => !outside)].flatMap((one) => drawingsOf(one));
}

function fromAbove(points: readonly number[]): Drawing {
  const [x = 0, y = 0, , , , angle = 0, length = 0, width = 0] = points;
  const corners = [-1, 1, 1, -1].flatMap((along, at) => {
    const [dx, dy] = [(along * length) / 2, ((at < 2 ? -1 : 1) * width) / 2];
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return [x + dx * cos - dy * sin, -(y + dx * sin + dy * cos)]; // the y axis points up
  });
  return { kind: 'path', points: corners, closed: true, filled: true };
}

/** The values of both versions of an object in conflict. */
export function comparedValues(
  { mine, theirs }: Conflict,
  frame: number,
  labels: readonly Label[],
): readonly ComparedValue[] {
  const [left, right] = [valuesOf(mine, frame, labels), valuesOf(theirs, frame, labels)];
  const names = new Set([...left, ...right].map(({ name }) => name));
  return Array.from(names, (name) => {
    const [a, b] = [left, right].map((values) => values.find((value) => value.name === name));
    return { name, mine: a?.text, theirs: b?.text, differs: rawOf(a) !== rawOf(b) };
  });
}

const rawOf = (value: Value | undefined): string => JSON.stringify([value?.text, value?.raw]);

function valuesOf(object: EditedObject | undefined, frame: number, labels: readonly Label[]): Value[] {
  if (object === undefined) return [];
  const label = labels.find(({ id }) => id === object.value.label_id);
  const shape = shapeOn(object, frame);
  const attributes = (shape ?? object.value).attributes.map(({ spec_id: id, value }) => ({
    name: label?.attributes?.find((attribute) => attribute.id === id)?.name ?? `Attribute ${id}`,
    text: value,
  }));
  const { group } = object.value;
  return [
    { name: 'Label', text: label?.name ?? 'Deleted label' },
    ...attributes,
    ...(shape === undefined ? [] : geometryOf(shape)),
    ...(object.kind === 'track'
      ? [{ name: 'Keyframes', text: keyframesText(object), raw: [object.value.shapes, object.value.elements] }]
      : []),
    { name: 'Group', text: group === null || group === 0 ? 'none' : String(group) },
  ];
}

function geometryOf(shape: Shape): Value[] {
  const flags = [
    { name: 'Occluded', text: shape.occluded ? 'yes' : 'no' },
    { name: 'Layer', text: String(shape.z_order) },
  ];
  if (isSpatialCuboid(shape.points)) {
    const [position, rotation, size] = [0, 3, 6].map((at) => shape.points.slice(at, at + 3));
    return [
      { name: 'Position', text: numbers(position, ' m') },
      { name: 'Size', text: numbers(size, ' m') },
      {
        name: 'Rotation',
        text: numbers(
          rotation?.map((angle) => (angle * 180) / Math.PI),
          '°',
        ),
      },
      ...flags,
    ];
  }
  const box = boundsOf(drawingOf(shape));
  const count = shape.points.length / 2;
  return [
    ...(box === undefined ? [] : boxValues(box)),
    ...(shape.rotation === 0 ? [] : [{ name: 'Rotation', text: `${rounded(shape.rotation)}°` }]),
    ...(['polygon', 'polyline', 'points'].includes(shape.type)
      ? [{ name: 'Points', text: counted(count, 'point'), raw: shape.points }]
      : []),
    ...(shape.type === 'mask' ? [{ name: 'Pixels', text: pixelsText(shape.points), raw: shape.points }] : []),
    ...(shape.elements.length > 0 ? [elementsValue(shape)] : []),
    ...flags,
  ];
}

const boxValues = ({ left, top, right, bottom }: Bounds): Value[] => [
  { name: 'Position', text: `${rounded(left)}, ${rounded(top)}`, raw: [left, top].map(precise) },
  {
    name: 'Size',
    text: `${rounded(right - left)} × ${rounded(bottom - top)}`,
    raw: [right - left, bottom - top].map(precise),
  },
];

const elementsValue = ({ elements }: Shape): Value => ({
  name: 'Elements',
  text: counted(elements.filter(({ outside }) => !outside).length, 'visible element'),
  raw: elements,
});

/** Odd runs of a mask are its foreground. The last four numbers are its box. */
const pixelsText = (points: readonly number[]): string =>
  counted(
    points.slice(0, -4).reduce((sum, run, at) => (at % 2 === 1 ? sum + run : sum), 0),
    'pixel',
  );

function keyframesText(object: Extract<EditedObject, { kind: 'track' }>): string {
  const frames = new TrackFrames(object.value).keyframeNumbers();
  const [first, last] = [frames[0], frames.at(-1)];
  return `${frames.length} (${first === last ? `frame ${first}` : `frames ${first} to ${last}`})`;
}

/** Differences below a hundredth of a pixel are rounding errors. */
const precise = (value: number): number => Math.round(value * 100);

const rounded = (value: number): string => String(Math.round(value * 10) / 10);

const numbers = (values: readonly number[] | undefined, unit: string): string =>
  (values ?? []).map((value) => `${rounded(value)}${unit}`).join(', ');
