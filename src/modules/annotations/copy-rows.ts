import type { ShapeType } from '../../shared/annotations/model.js';
import type { IntervalRow, ShapeRow, TagRow, TrackedShapeRow } from '../../engines/annotations/rows.js';

/** Columns of a tag in the order in which `tagFrom` reads them. */
export const TAG_COLUMNS = 'job_id, id, label_id, frame, group_id, source, attributes';

/** Columns of a shape in the order in which `shapeFrom` reads them. */
export const SHAPE_COLUMNS =
  'job_id, id, parent_id, label_id, type, frame, group_id, source, occluded, outside, z_order, rotation, score, points, attributes';

/** Columns of a keyframe in the order in which `trackedShapeFrom` reads them. */
export const TRACKED_SHAPE_COLUMNS =
  'job_id, track_id, id, type, frame, occluded, outside, z_order, rotation, points, attributes';

/** Columns of an interval in the order in which `intervalFrom` reads them. */
export const INTERVAL_COLUMNS = 'job_id, id, label_id, start, stop, group_id, source, score, attributes';

/** Reads one line of COPY's text format. */
export function tagFrom(line: string): TagRow {
  const [job = '', id = '', label = '', frame = '', group = '', source = '', attributes = ''] = line.split('\t');
  return {
    id: Number(id),
    job_id: Number(job),
    label_id: Number(label),
    frame: Number(frame),
    group_id: nullable(group),
    source: text(source),
    attributes: text(attributes),
  };
}

/** Reads one line of COPY's text format. Types and points contain nothing that is escaped. */
export function shapeFrom(line: string): ShapeRow {
  const [
    job = '', id = '', parent = '', label = '', type = '', frame = '', group = '', source = '', occluded = '', outside = '', zOrder = '',
    rotation = '', score = '', points = '', attributes = '',
  ] = line.split('\t'); // prettier-ignore
  return {
    id: Number(id),
    job_id: Number(job),
    parent_id: nullable(parent),
    label_id: Number(label),
    type: type as ShapeType,
    frame: Number(frame),
    group_id: nullable(group),
    source: text(source),
    occluded: occluded === 't',
    outside: outside === 't',
    z_order: Number(zOrder),
    rotation: Number(rotation),
    score: Number(score),
    points,
    attributes: text(attributes),
  };
}

/** Reads one line of COPY's text format. */
export function trackedShapeFrom(line: string): TrackedShapeRow {
  const [
    job = '', track = '', id = '', type = '', frame = '', occluded = '', outside = '', zOrder = '', rotation = '',
    points = '', attributes = '',
  ] = line.split('\t'); // prettier-ignore
  return {
    id: Number(id),
    job_id: Number(job),
    track_id: Number(track),
    type: type as ShapeType,
    frame: Number(frame),
    occluded: occluded === 't',
    outside: outside === 't',
    z_order: Number(zOrder),
    rotation: Number(rotation),
    points,
    attributes: text(attributes),
  };
}

/** Reads one line of COPY's text format. */
export function intervalFrom(line: string): IntervalRow {
  const [
    job = '', id = '', label = '', start = '', stop = '', group = '', source = '', score = '', attributes = '',
  ] = line.split('\t'); // prettier-ignore
  return {
    id: Number(id),
    job_id: Number(job),
    label_id: Number(label),
    start: Number(start),
    stop: nullable(stop),
    group_id: nullable(group),
    source: text(source),
    score: Number(score),
    attributes: text(attributes),
  };
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const nullable = (field: string): number | null => (field === '\\N' ? null : Number(field));

function text(field: string): string {
  return field.includes('\\') ? field.replace(/\\(.)/g, (_, found: string) => ESCAPES[found] ?? found) : field;
}
