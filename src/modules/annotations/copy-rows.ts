import type { ShapeType } from '../../engines/annotations/model.js';
import type { ShapeRow, TagRow } from '../../engines/annotations/rows.js';

/** Columns of a tag in the order in which `tagFrom` reads them. */
export const TAG_COLUMNS = 'id, label_id, frame, group_id, source, attributes';

/** Columns of a shape in the order in which `shapeFrom` reads them. */
export const SHAPE_COLUMNS =
  'id, parent_id, label_id, type, frame, group_id, source, occluded, outside, z_order, rotation, score, points, attributes';

/** Reads one line of COPY's text format. */
export function tagFrom(line: string, jobId: number): TagRow {
  const [id = '', label = '', frame = '', group = '', source = '', attributes = ''] = line.split('\t');
  return {
    id: Number(id),
    job_id: jobId,
    label_id: Number(label),
    frame: Number(frame),
    group_id: nullable(group),
    source: text(source),
    attributes: text(attributes),
  };
}

/** Reads one line of COPY's text format. Types and points have nothing that is escaped. */
export function shapeFrom(line: string, jobId: number): ShapeRow {
  const [
    id = '', parent = '', label = '', type = '', frame = '', group = '', source = '', occluded = '', outside = '', zOrder = '',
    rotation = '', score = '', points = '', attributes = '',
  ] = line.split('\t'); // prettier-ignore
  return {
    id: Number(id),
    job_id: jobId,
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

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const nullable = (field: string): number | null => (field === '\\N' ? null : Number(field));

function text(field: string): string {
  return field.includes('\\') ? field.replace(/\\(.)/g, (_, found: string) => ESCAPES[found] ?? found) : field;
}
