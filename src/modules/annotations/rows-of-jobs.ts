import { copyOut } from '../../core/database/copy.js';
import type { Snapshot } from '../../core/database/db.js';
import type { ShapeType } from '../../shared/annotations/model.js';
import type { IntervalRow, ShapeRow, TagRow, TrackedShapeRow } from '../../engines/annotations/rows.js';
import { type Kind, rowsOf } from './annotation-tables.js';

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

/** Reads one line of COPY's text format. `type` and `points` never contain escapes. */
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

/** First and last frame, inclusive. */
export type FrameRange = readonly [first: number, last: number];

/** A job whose annotations are read. */
export interface WantedJob {
  readonly id: number;
  /** The state after this save. Default: the current state. The same for all jobs of a read. */
  readonly at?: number;
  /** Only these frames. Default: all. The same for all jobs of a read. */
  readonly frames?: FrameRange;
}

/** A job and one or two ranges of frames to read; the ranges may overlap. */
export interface WantedFrames extends WantedJob {
  readonly ranges: readonly FrameRange[];
}

/** The parts of a query that refer to one job. Values are inserted as literals, because COPY takes no parameters. */
export interface JobSource {
  /** Condition on the column `job_id`. */
  readonly ofJob: string;
  /** The FROM item with the rows of the job. */
  rows(kind: Kind): string;
}

/** Can also run such a query for each job, in the order of the jobs. */
interface JobsSource extends JobSource {
  each(query: string): string;
}

/** A single job becomes a literal, so that the planner can use the statistics for it. */
export function sourceOf(jobs: readonly WantedJob[]): JobsSource {
  const [one] = jobs;
  if (one === undefined || jobs.length > 1) return sourceFrom(`unnest(${list(idsOf(jobs))}) wanted(wanted_id)`, jobs);
  const ofJob = `job_id = ${Math.trunc(one.id)}`;
  return { ofJob, rows: (kind) => rowsOf(kind, ofJob, one.at), each: (query) => query };
}

/** Condition for the requested frames in queries on `framesSourceOf`. */
export const IN_RANGES = '(frame between first_1 and last_1 or frame between first_2 and last_2)';
const NO_FRAMES: FrameRange = [0, -1];

export function framesSourceOf(jobs: readonly WantedFrames[]): JobsSource {
  const ends = [0, 1].flatMap((range) =>
    [0, 1].map((end) => jobs.map(({ ranges }) => (ranges[range] ?? NO_FRAMES)[end] ?? 0)),
  );
  const columns = [idsOf(jobs), ...ends].map(list).join(', ');
  return sourceFrom(`unnest(${columns}) wanted(wanted_id, first_1, last_1, first_2, last_2)`, jobs);
}

/** A lateral join runs the query for one job after the other, each time with its own ORDER BY. */
function sourceFrom(wanted: string, jobs: readonly WantedJob[]): JobsSource {
  const ofJob = 'job_id = wanted_id';
  const at = jobs[0]?.at;
  return {
    ofJob,
    rows: (kind) => rowsOf(kind, ofJob, at),
    each: (query) => `select wanted_row.* from ${wanted} cross join lateral (${query}) wanted_row`,
  };
}

export const idsOf = (jobs: readonly WantedJob[]): number[] => jobs.map(({ id }) => id);

const list = (numbers: readonly number[]): string => `'{${numbers.map(Math.trunc).join(',')}}'::int[]`;

export function onFrames(jobs: readonly WantedJob[]): string {
  const frames = jobs[0]?.frames;
  return frames === undefined ? '' : ` and frame between ${Math.trunc(frames[0])} and ${Math.trunc(frames[1])}`;
}

/** Streams rows in batches. Each batch has rows of one job. */
export async function* batchesOf<Row extends { readonly job_id: number }>(
  snapshot: Snapshot,
  source: JobsSource,
  read: (line: string) => Row,
  query: (source: JobSource) => string,
): AsyncGenerator<Row[]> {
  for await (const lines of copyOut(snapshot.client, source.each(query(source)))) {
    let rows: Row[] = [];
    for (const line of lines) {
      const row = read(line);
      if (rows.length > 0 && rows[0]?.job_id !== row.job_id) {
        yield rows;
        rows = [];
      }
      rows.push(row);
    }
    yield rows;
  }
}

/** Condition on the column `job_id`, as SQL text without parameters. */
export const ofJobs = (jobs: readonly WantedJob[]): string => `job_id = any(${list(idsOf(jobs))})`;
