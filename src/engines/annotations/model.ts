/**
 * The wire objects of annotations. Their keys are the wire names, so that a list of 100,000 shapes is
 * checked, stored and answered without being renamed on the way.
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

/** The geometry shared by single shapes and keyframes of tracks. */
export interface Geometry {
  type: ShapeType;
  frame: number;
  occluded: boolean;
  outside: boolean;
  z_order: number;
  /** Degrees clockwise, 0..360. */
  rotation: number;
  /** Layout by type, see points-layout.ts. */
  points: number[];
}

export interface ShapeElement extends Labeled, Geometry {
  /** Confidence 0..1; 1 is what a client that does not know it means. */
  score: number;
}

/** False when a request to delete did not mention `elements`; its echo then leaves them out, too. */
interface Echoed {
  elementsSent?: boolean;
}

export interface Shape extends ShapeElement, Echoed {
  elements: ShapeElement[];
}

export interface TrackedShape extends Geometry {
  id: number | null;
  attributes: AttributeValue[];
  /** Only on shapes that were made by cutting a track; a wire key of the answer to a task-level write. */
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
