import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../core/database/db.js';
import { fromRows, fromTrackRows } from '../../engines/annotations/from-rows.js';
import type { Shape, Track } from '../../shared/annotations/model.js';
import type { IntervalRow, ShapeRow, TagRow, TrackedShapeRow, TrackRow } from '../../engines/annotations/rows.js';
import { raw, sql } from '../../engines/sql/sql.js';
import {
  batchesOf,
  framesSourceOf,
  idsOf,
  IN_RANGES,
  INTERVAL_COLUMNS,
  intervalFrom,
  type JobSource,
  ofJobs,
  onFrames,
  SHAPE_COLUMNS,
  shapeFrom,
  sourceOf,
  TAG_COLUMNS,
  tagFrom,
  TRACKED_SHAPE_COLUMNS,
  trackedShapeFrom,
  type WantedFrames,
  type WantedJob,
} from './rows-of-jobs.js';
import { rowsOf } from './annotation-tables.js';

/** One or more shapes of one job, with their elements. */
export interface ShapeBatch {
  readonly rows: readonly ShapeRow[];
  /** The elements of skeletons, by the id of the skeleton. */
  readonly elementsOf: ReadonlyMap<number, readonly ShapeRow[]>;
}

export function shapesOf({ rows, elementsOf }: ShapeBatch): Shape[] {
  const elements = rows.flatMap(({ id }) => elementsOf.get(id) ?? []);
  return fromRows({ shapes: [...rows, ...elements] }).shapes;
}

/** One or more tracks of one job. */
export interface TrackBatch {
  readonly jobId: number;
  readonly tracks: Track[];
}

/** The number of tracks whose keyframes are in memory at the same time. */
const TRACKS_AT_ONCE = 50;

/**
 * Streams the annotations of jobs, job by job in the given order. Batches have a bounded size, because a job may have a
 * million annotations, and contain rows of one job only. The number of statements does not depend on the number of jobs. A
 * stream must be read to its end, or closed, before the snapshot is used for anything else.
 */
@Injectable()
export class AnnotationSource {
  /** Sorted by frame. */
  tags(snapshot: Snapshot, jobs: readonly WantedJob[]): AsyncGenerator<TagRow[]> {
    return batchesOf(snapshot, sourceOf(jobs), tagFrom, ({ ofJob, rows }) => {
      return `select ${TAG_COLUMNS} from ${rows('tag')} where ${ofJob}${onFrames(jobs)} order by frame, id`;
    });
  }

  /**
   * Sorted by frame. Elements follow their skeleton, so the last shape of a batch is held back until the next batch.
   */
  async *shapes(snapshot: Snapshot, jobs: readonly WantedJob[]): AsyncGenerator<ShapeBatch> {
    const query = (await haveSkeletons(snapshot, jobs)) ? skeletonsQuery : shapesQuery;
    let batch = new Batch();
    for await (const rows of batchesOf(snapshot, sourceOf(jobs), shapeFrom, query(onFrames(jobs)))) {
      if (batch.rows.length > 0 && batch.rows[0]?.job_id !== rows[0]?.job_id) {
        yield batch;
        batch = new Batch();
      }
      for (const row of rows) batch.add(row);
      const next = batch.withoutLast();
      if (batch.rows.length > 0) yield batch;
      batch = next;
    }
    if (batch.rows.length > 0) yield batch;
  }

  /** Sorted by id, with all keyframes, because attributes are inherited from the previous keyframe. */
  async *tracks(snapshot: Snapshot, jobs: readonly WantedJob[]): AsyncGenerator<TrackBatch> {
    const rows = await trackRows(snapshot, jobs);
    if (rows.length === 0) return;
    const keyframes = new Keyframes(batchesOf(snapshot, sourceOf(jobs), trackedShapeFrom, keyframesQuery));
    try {
      for (const group of groups(rows)) {
        yield { jobId: group[0]?.job_id ?? 0, tracks: fromTrackRows(group, await keyframes.of(group)) };
      }
      await keyframes.end();
    } finally {
      await keyframes.close();
    }
  }

  /** Sorted by start. */
  intervals(snapshot: Snapshot, jobs: readonly WantedJob[]): AsyncGenerator<IntervalRow[]> {
    const frames = jobs[0]?.frames?.map(Math.trunc);
    const touched = frames === undefined ? '' : ` and start <= ${frames[1]} and (stop is null or stop > ${frames[0]})`;
    return batchesOf(snapshot, sourceOf(jobs), intervalFrom, ({ ofJob, rows }) => {
      return `select ${INTERVAL_COLUMNS} from ${rows('interval')} where ${ofJob}${touched} order by start, id`;
    });
  }

  /** Sorted by frame. */
  tagsWithin(snapshot: Snapshot, jobs: readonly WantedFrames[]): AsyncGenerator<TagRow[]> {
    return batchesOf(snapshot, framesSourceOf(jobs), tagFrom, ({ ofJob, rows }) => {
      return `select ${TAG_COLUMNS} from ${rows('tag')} where ${ofJob} and ${IN_RANGES} order by frame, id`;
    });
  }

  /** Sorted by frame, without elements. */
  shapesWithin(snapshot: Snapshot, jobs: readonly WantedFrames[]): AsyncGenerator<ShapeRow[]> {
    return batchesOf(snapshot, framesSourceOf(jobs), shapeFrom, ({ ofJob, rows }) => {
      return `select ${SHAPE_COLUMNS} from ${rows('shape')} where ${ofJob} and ${IN_RANGES} and parent_id is null
        order by frame, id`;
    });
  }
}

/** Most jobs have no skeletons, and then need not sort elements after their skeletons. */
async function haveSkeletons(snapshot: Snapshot, jobs: readonly WantedJob[]): Promise<boolean> {
  const at = jobs[0]?.at;
  const [found] = await snapshot.query<{ skeletons: boolean }>(
    sql`select exists (select from ${raw(rowsOf('shape', ofJobs(jobs), at))}
      where job_id = any(${idsOf(jobs)}::int[]) and parent_id is not null) as skeletons`,
    { dynamic: at !== undefined },
  );
  return found?.skeletons === true;
}

const shapesQuery =
  (onFrames: string) =>
  ({ ofJob, rows }: JobSource): string =>
    `select ${SHAPE_COLUMNS} from ${rows('shape')} where ${ofJob}${onFrames} order by frame, id`;

/** A window function gives elements the frame of their skeleton. */
const skeletonsQuery =
  (onFrames: string) =>
  ({ ofJob, rows }: JobSource): string =>
    `select ${SHAPE_COLUMNS} from (
        select ${SHAPE_COLUMNS}, min(frame) filter (where parent_id is null) over (partition by coalesce(parent_id, id))
          as skeleton_frame
        from ${rows('shape')} where ${ofJob}) shape
      where true${onFrames}
      order by coalesce(skeleton_frame, frame), coalesce(parent_id, id), parent_id is not null, id`;

/** In the order of the jobs; elements are grouped with their track. */
function trackRows(snapshot: Snapshot, jobs: readonly WantedJob[]): Promise<TrackRow[]> {
  const at = jobs[0]?.at;
  return snapshot.query<TrackRow>(
    sql`select id, job_id, parent_id, label_id, frame, group_id, source, attributes
      from ${raw(rowsOf('track', ofJobs(jobs), at))}
      join unnest(${idsOf(jobs)}::int[]) with ordinality wanted(wanted_id, ordinal) on job_id = wanted_id
      order by ordinal, coalesce(parent_id, id), id`,
    { dynamic: at !== undefined },
  );
}

/** In the order of the tracks. */
function keyframesQuery({ ofJob, rows }: JobSource): string {
  const tracks = `select id as wanted_track from ${rows('track')} where ${ofJob} order by coalesce(parent_id, id), id`;
  return `select keyframe.* from (${tracks}) track cross join lateral (
      select ${TRACKED_SHAPE_COLUMNS} from ${rows('trackedShape')}
      where ${ofJob} and track_id = wanted_track order by frame, id) keyframe`;
}

/** Collects shapes and the elements that follow them. */
class Batch implements ShapeBatch {
  readonly rows: ShapeRow[] = [];
  readonly elementsOf = new Map<number, ShapeRow[]>();

  add(row: ShapeRow): void {
    if (row.parent_id === null) this.rows.push(row);
    else if (this.elementsOf.get(row.parent_id)?.push(row) === undefined) this.elementsOf.set(row.parent_id, [row]);
  }

  /** Removes the last shape. @returns it with its elements so far */
  withoutLast(): Batch {
    const next = new Batch();
    const last = this.rows.pop();
    if (last === undefined) return next;
    next.rows.push(last);
    next.elementsOf.set(last.id, this.elementsOf.get(last.id) ?? []);
    return next;
  }
}

/** A stream of keyframes in the order of their tracks. */
class Keyframes {
  private ahead: TrackedShapeRow[] = [];

  constructor(private readonly batches: AsyncGenerator<TrackedShapeRow[]>) {}

  /** Reads the keyframes of the next tracks. */
  async of(tracks: readonly TrackRow[]): Promise<TrackedShapeRow[]> {
    const ids = new Set(tracks.map(({ id }) => id));
    const found: TrackedShapeRow[] = [];
    for (;;) {
      const end = this.ahead.findIndex((row) => !ids.has(row.track_id));
      found.push(...this.ahead.slice(0, end === -1 ? undefined : end));
      if (end !== -1) {
        this.ahead = this.ahead.slice(end);
        return found;
      }
      const { done, value } = await this.batches.next();
      this.ahead = done === true ? [] : value;
      if (done === true) return found;
    }
  }

  /** @throws Error if keyframes are left, because they were not in the order of their tracks */
  async end(): Promise<void> {
    const left = await this.of([]);
    if (left.length > 0 || this.ahead.length > 0) throw new Error('Keyframes without a track');
  }

  async close(): Promise<void> {
    await this.batches.return(undefined);
  }
}

/** Splits the rows into groups, each with a few tracks of one job and their elements. */
function* groups(rows: readonly TrackRow[]): Generator<TrackRow[]> {
  let group: TrackRow[] = [];
  let tracks = 0;
  let current: number | undefined;
  for (const row of rows) {
    const track = row.parent_id ?? row.id;
    if (track !== current) {
      if (tracks === TRACKS_AT_ONCE || (group.length > 0 && group[0]?.job_id !== row.job_id)) {
        yield group;
        group = [];
        tracks = 0;
      }
      current = track;
      tracks += 1;
    }
    group.push(row);
  }
  if (group.length > 0) yield group;
}
