/**
 * The wire objects of annotations. Their keys are the wire names, so that a list of 100,000 shapes is validated, stored
 * and returned without renaming.
 */

export const SHAPE_TYPES = [
  'rectangle',
  'polygon',
  'polyline',
  'points',
  'ellipse',
  'cuboid',
  'mask',
  'skeleton',
] as const;

export type ShapeType = (typeof SHAPE_TYPES)[number];

export type AnnotationAction = 'create' | 'update' | 'delete';

export interface AttributeValue {
  spec_id: number;
  value: string;
}

/** What every top-level annotation has. `id` is null until the annotation is stored. */
interface Labeled {
  id: number | null;
  label_id: number;
  group: number | null;
  source: string;
  attributes: AttributeValue[];
}

export interface Tag extends Labeled {
  frame: number;
}

/** A time range; `stop` is exclusive, null means "to the end". Only the newest clients send these. */
export interface Interval extends Labeled {
  start: number;
  stop: number | null;
  score: number;
}

/** The highest layer (`z_order`). Its negative can be stored, too. */
export const MAX_LAYER = 2 ** 31 - 1;

/** The position and form of a shape. */
export interface Geometry {
  type: ShapeType;
  /** Degrees clockwise, 0..360. */
  rotation: number;
  /** Image pixels. Layout by type, see points-layout.ts. */
  points: number[];
}

/** What single shapes and keyframes of tracks have in common: a shape in one frame. */
export interface FrameShape extends Geometry {
  frame: number;
  occluded: boolean;
  outside: boolean;
  z_order: number;
}

export interface ShapeElement extends Labeled, FrameShape {
  /** Confidence 0..1; default: 1. */
  score: number;
}

/** False if a deletion request has no `elements`; its response then has none either. */
interface Echoed {
  elementsSent?: boolean;
}

export interface Shape extends ShapeElement, Echoed {
  elements: ShapeElement[];
}

export interface TrackedShape extends FrameShape {
  id: number | null;
  attributes: AttributeValue[];
  /** Only on shapes created by cutting a track; a wire key in responses to task-level writes. */
  keyframe?: boolean;
}

export interface TrackElement extends Labeled {
  frame: number;
  shapes: TrackedShape[];
}

export interface Track extends TrackElement, Echoed {
  elements: TrackElement[];
}

export interface LabeledData {
  version: number;
  tags: Tag[];
  shapes: Shape[];
  tracks: Track[];
  intervals: Interval[];
}

/** @returns annotations with nothing in them */
export function emptyData(): LabeledData {
  return { version: 0, tags: [], shapes: [], tracks: [], intervals: [] };
}

/** The number of trailing numbers of a mask that are its box (left, top, right, bottom; inclusive). */
export const MASK_BOX = 4;

/**
 * The maximum absolute coordinate: more than any medium needs, and small enough for areas, distances and interpolated
 * shapes to be finite.
 */
export const MAX_COORDINATE = 1e15;

/** Whether the value can be stored as a coordinate. */
export function isCoordinate(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_COORDINATE;
}

/**
 * Checks that a list of coordinates fits its shape type.
 * Cuboids have 8 corners in 2d, and position, rotation and size padded to the same 16 numbers in 3d.
 * @returns the error text, or undefined if the points are valid
 */
export function pointsFault(type: ShapeType, points: readonly number[]): string | undefined {
  if (!lengthFits(type, points.length)) return `invalid length for shape type '${type}'`;
  return type === 'mask' ? maskFault(points) : undefined;
}

function lengthFits(type: ShapeType, length: number): boolean {
  switch (type) {
    case 'rectangle':
    case 'ellipse':
      return length === 4;
    case 'polygon':
      return length >= 6 && length % 2 === 0;
    case 'polyline':
      return length >= 4 && length % 2 === 0;
    case 'points':
      return length >= 2 && length % 2 === 0;
    case 'cuboid':
      return length === 16;
    case 'mask':
      return length > MASK_BOX;
    case 'skeleton':
      return length === 0;
  }
}

/** Runs alternate background and foreground, row by row within the box, and must fill it exactly. */
function maskFault(points: readonly number[]): string | undefined {
  const runs = points.length - MASK_BOX;
  let sum = 0;
  for (let i = 0; i < runs; i++) {
    const run = points[i] ?? -1;
    if (!Number.isInteger(run) || run < 0) return `mask run ${i} must be a whole number of pixels`;
    sum += run;
  }
  const [left = NaN, top = NaN, right = NaN, bottom = NaN] = points.slice(runs);
  if (![left, top, right, bottom].every(Number.isInteger)) return 'the box of a mask must be whole numbers';
  if (right < left || bottom < top) return 'the box of a mask must have left <= right and top <= bottom';
  const area = (right - left + 1) * (bottom - top + 1);
  if (sum !== area) return `mask runs add up to ${sum} pixels, its box has ${area}`;
  return undefined;
}
