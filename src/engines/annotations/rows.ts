import type {
  AttributeValue,
  Interval,
  LabeledData,
  ShapeElement,
  ShapeType,
  Tag,
  TrackedShape,
  TrackElement,
} from '../../shared/annotations/model.js';

/**
 * How annotations are stored: one row for each tag, interval, shape, track and keyframe. Elements of skeletons are rows
 * of the same type with `parent_id`. Keys are column names. `points` and `attributes` are JSON text: a read passes them
 * on unchanged, and numbers are returned exactly as they were sent.
 */
export interface TagRow {
  id: number;
  job_id: number;
  label_id: number;
  frame: number;
  group_id: number | null;
  source: string;
  attributes: string;
}

export interface IntervalRow {
  id: number;
  job_id: number;
  label_id: number;
  start: number;
  stop: number | null;
  group_id: number | null;
  source: string;
  score: number;
  attributes: string;
}

export interface ShapeRow {
  id: number;
  job_id: number;
  parent_id: number | null;
  label_id: number;
  type: ShapeType;
  frame: number;
  group_id: number | null;
  source: string;
  occluded: boolean;
  outside: boolean;
  z_order: number;
  rotation: number;
  score: number;
  points: string;
  attributes: string;
}

export interface TrackRow {
  id: number;
  job_id: number;
  parent_id: number | null;
  label_id: number;
  frame: number;
  group_id: number | null;
  source: string;
  attributes: string;
}

export interface TrackedShapeRow {
  id: number;
  job_id: number;
  track_id: number;
  type: ShapeType;
  frame: number;
  occluded: boolean;
  outside: boolean;
  z_order: number;
  rotation: number;
  points: string;
  attributes: string;
}

export interface AnnotationRows {
  tags: TagRow[];
  shapes: ShapeRow[];
  tracks: TrackRow[];
  trackedShapes: TrackedShapeRow[];
  intervals: IntervalRow[];
}

/** Rows of one job by type, created one at a time while they are read, so that a large save is not in memory twice. */
export type RowsByKind = { readonly [Kind in keyof AnnotationRows]: Iterable<AnnotationRows[Kind][number]> };

/**
 * Converts annotations to rows, elements after their parents, in the order sent.
 * @throws Error during iteration if an id is missing: call assignIds first
 */
export const rowsOf = (data: LabeledData, jobId: number): RowsByKind => ({
  tags: iterable(function* () {
    for (const tag of data.tags) yield stored(toTagRow(tag, jobId));
  }),
  intervals: iterable(function* () {
    for (const interval of data.intervals) yield stored(toIntervalRow(interval, jobId));
  }),
  shapes: iterable(function* () {
    for (const shape of data.shapes) {
      yield stored(toShapeRow(shape, jobId, null));
      for (const element of shape.elements) yield stored(toShapeRow(element, jobId, shape.id));
    }
  }),
  tracks: iterable(function* () {
    for (const { track, parentId } of tracksIn(data)) yield stored(toTrackRow(track, jobId, parentId));
  }),
  trackedShapes: iterable(function* () {
    for (const { track } of tracksIn(data)) {
      const { id } = stored(track);
      for (const shape of track.shapes) yield stored(toTrackedShapeRow(shape, jobId, id));
    }
  }),
});

/** Tracks, each followed by its elements. */
function* tracksIn(data: LabeledData): Generator<{ track: TrackElement; parentId: number | null }> {
  for (const track of data.tracks) {
    yield { track, parentId: null };
    for (const element of track.elements) yield { track: element, parentId: track.id };
  }
}

const iterable = <T>(generate: () => Generator<T>): Iterable<T> => ({ [Symbol.iterator]: generate });

/** A row that may not have an id yet. */
export type Unstored<Row> = Omit<Row, 'id'> & { id: number | null };

function stored<Row extends { id: number | null }>(row: Row): Row & { id: number } {
  if (row.id === null) throw new Error('An annotation has no id yet');
  return row as Row & { id: number };
}

/** @returns attribute values as JSON text */
export function attributesText(attributes: readonly AttributeValue[]): string {
  return attributes.length === 0 ? '[]' : JSON.stringify(attributes);
}

/** @returns coordinates as JSON text */
export function pointsText(points: readonly number[]): string {
  return `[${points.join(',')}]`;
}

export function toTagRow(tag: Tag, jobId: number): Unstored<TagRow> {
  return {
    id: tag.id,
    job_id: jobId,
    label_id: tag.label_id,
    frame: tag.frame,
    group_id: tag.group,
    source: tag.source,
    attributes: attributesText(tag.attributes),
  };
}

export function toIntervalRow(interval: Interval, jobId: number): Unstored<IntervalRow> {
  return {
    id: interval.id,
    job_id: jobId,
    label_id: interval.label_id,
    start: interval.start,
    stop: interval.stop,
    group_id: interval.group,
    source: interval.source,
    score: interval.score,
    attributes: attributesText(interval.attributes),
  };
}

export function toShapeRow(shape: ShapeElement, jobId: number, parentId: number | null): Unstored<ShapeRow> {
  return {
    id: shape.id,
    job_id: jobId,
    parent_id: parentId,
    label_id: shape.label_id,
    type: shape.type,
    frame: shape.frame,
    group_id: shape.group,
    source: shape.source,
    occluded: shape.occluded,
    outside: shape.outside,
    z_order: shape.z_order,
    rotation: shape.rotation,
    score: shape.score,
    points: pointsText(shape.points),
    attributes: attributesText(shape.attributes),
  };
}

export function toTrackRow(track: TrackElement, jobId: number, parentId: number | null): Unstored<TrackRow> {
  return {
    id: track.id,
    job_id: jobId,
    parent_id: parentId,
    label_id: track.label_id,
    frame: track.frame,
    group_id: track.group,
    source: track.source,
    attributes: attributesText(track.attributes),
  };
}

export function toTrackedShapeRow(shape: TrackedShape, jobId: number, trackId: number): Unstored<TrackedShapeRow> {
  return {
    id: shape.id,
    job_id: jobId,
    track_id: trackId,
    type: shape.type,
    frame: shape.frame,
    occluded: shape.occluded,
    outside: shape.outside,
    z_order: shape.z_order,
    rotation: shape.rotation,
    points: pointsText(shape.points),
    attributes: attributesText(shape.attributes),
  };
}
