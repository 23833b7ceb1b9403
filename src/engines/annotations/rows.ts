import type {
  AttributeValue,
  Interval,
  LabeledData,
  ShapeElement,
  ShapeType,
  Tag,
  TrackedShape,
  TrackElement,
} from './model.js';
import { atOnce, type Turns } from './turns.js';

/**
 * How annotations lie in the database: one row per tag, interval, shape, track and keyframe. Elements of skeletons
 * are rows of the same kind with `parent_id`. Keys are column names. `points` and `attributes` are JSON text: a read
 * passes them on as they are, and numbers come back exactly as they were sent.
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

/**
 * Turns annotations into rows, elements after their parents, in the order sent.
 * @throws Error when an id is missing: ids are given by assignIds first
 */
export const toRows = (data: LabeledData, jobId: number): AnnotationRows => atOnce(rowsInTurns(data, jobId));

/** Rows that are made before others get their turn. */
const TURN_ROWS = 5_000;

/** As {@link toRows}. @yields after every turn */
export function* rowsInTurns(data: LabeledData, jobId: number): Turns<AnnotationRows> {
  const rows: AnnotationRows = { tags: [], shapes: [], tracks: [], trackedShapes: [], intervals: [] };
  for (const tag of data.tags) rows.tags.push(stored(toTagRow(tag, jobId)));
  for (const interval of data.intervals) rows.intervals.push(stored(toIntervalRow(interval, jobId)));
  for (const shape of data.shapes) {
    rows.shapes.push(stored(toShapeRow(shape, jobId, null)));
    for (const element of shape.elements) rows.shapes.push(stored(toShapeRow(element, jobId, shape.id)));
    if (rows.shapes.length % TURN_ROWS === 0) yield undefined;
  }
  for (const track of data.tracks) {
    yield* addTrack(rows, track, jobId, null);
    for (const element of track.elements) yield* addTrack(rows, element, jobId, track.id);
  }
  return rows;
}

function* addTrack(rows: AnnotationRows, track: TrackElement, jobId: number, parentId: number | null): Turns<void> {
  const row = stored(toTrackRow(track, jobId, parentId));
  rows.tracks.push(row);
  for (const shape of track.shapes) {
    rows.trackedShapes.push(stored(toTrackedShapeRow(shape, jobId, row.id)));
    if (rows.trackedShapes.length % TURN_ROWS === 0) yield undefined;
  }
}

/** A row whose id may not be known yet. */
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
