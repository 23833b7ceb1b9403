import { Injectable } from '@nestjs/common';
import { copyOut } from '../../core/database/copy.js';
import type { Queryable } from '../../core/database/db.js';
import type { Snapshot } from '../../core/database/snapshot.js';
import { fromRows, fromTrackRows } from '../../engines/annotations/from-rows.js';
import type { Shape, Tag, Track } from '../../engines/annotations/model.js';
import type { IntervalRow, ShapeRow, TagRow, TrackedShapeRow, TrackRow } from '../../engines/annotations/rows.js';
import { or, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { rowsOf } from './history/moment.js';
import { SHAPE_COLUMNS, shapeFrom, TAG_COLUMNS, tagFrom } from './copy-rows.js';

/** Shapes with their elements. */
export interface ShapeBatch {
  readonly rows: readonly ShapeRow[];
  /** By the id of the skeleton. */
  readonly elementsOf: ReadonlyMap<number, readonly ShapeRow[]>;
}

/** First and last frame, inclusive. */
export type FrameRange = readonly [first: number, last: number];

/** The job whose annotations are read: the present ones, or those after a save; of all frames, or of some. */
export interface WantedJob {
  readonly id: number;
  readonly at?: number;
  readonly frames?: FrameRange;
}

/** Tracks whose keyframes are read at once. */
const TRACKS_AT_ONCE = 50;

const NO_ROWS = { tags: [], shapes: [], tracks: [], trackedShapes: [], intervals: [] };

/** The annotations of one job, in bounded pieces: a job may have a million. */
@Injectable()
export class AnnotationSource {
  /** By frame. */
  async *tags(snapshot: Snapshot, job: WantedJob): AsyncGenerator<TagRow[]> {
    const query = `select ${TAG_COLUMNS} from ${rowsOf('tag', job)} where ${ofJob(job)}${onFrames(job)} order by frame, id`;
    for await (const lines of copyOut(snapshot.client, query)) yield lines.map((line) => tagFrom(line, job.id));
  }

  /** By frame. Elements come right after their skeleton, so the last shape of a piece waits for the next one. */
  async *shapes(snapshot: Snapshot, job: WantedJob): AsyncGenerator<ShapeBatch> {
    let rows: ShapeRow[] = [];
    let elementsOf = new Map<number, ShapeRow[]>();
    for await (const lines of copyOut(snapshot.client, await this.shapesQuery(snapshot, job))) {
      for (const line of lines) {
        const row = shapeFrom(line, job.id);
        if (row.parent_id === null) rows.push(row);
        else if (elementsOf.get(row.parent_id)?.push(row) === undefined) elementsOf.set(row.parent_id, [row]);
      }
      const last = rows.pop();
      yield { rows, elementsOf };
      rows = last === undefined ? [] : [last];
      elementsOf = new Map(last === undefined ? [] : [[last.id, elementsOf.get(last.id) ?? []]]);
    }
    yield { rows, elementsOf };
  }

  /** By id, completely: keyframes inherit from one another. */
  async *tracks(db: Queryable, job: WantedJob): AsyncGenerator<Track[]> {
    const options = { dynamic: job.at !== undefined };
    const rows = await db.query<TrackRow>(
      sql`select id, job_id, parent_id, label_id, frame, group_id, source, attributes
        from ${raw(rowsOf('track', job))} where job_id = ${job.id} order by coalesce(parent_id, id), id`,
      options,
    );
    for (const group of groups(rows)) {
      const ids = group.map((row) => row.id);
      const shapes = await db.query<TrackedShapeRow>(
        sql`select id, job_id, track_id, type, frame, occluded, outside, z_order, rotation, points, attributes
          from ${raw(rowsOf('trackedShape', job))} where job_id = ${job.id} and track_id = any(${ids}::bigint[])`,
        options,
      );
      yield fromTrackRows(group, shapes);
    }
  }

  intervals(db: Queryable, job: WantedJob): Promise<IntervalRow[]> {
    const { frames } = job;
    const touched =
      frames === undefined ? sql`true` : sql`start <= ${frames[1]} and (stop is null or stop > ${frames[0]})`;
    return db.query<IntervalRow>(
      sql`select id, job_id, label_id, start, stop, group_id, source, score, attributes
        from ${raw(rowsOf('interval', job))} where job_id = ${job.id} and ${touched} order by start, id`,
      { dynamic: job.at !== undefined },
    );
  }

  async tagsWithin(db: Queryable, job: WantedJob, ranges: readonly FrameRange[]): Promise<Tag[]> {
    const tags = await db.query<TagRow>(
      sql`select ${raw(TAG_COLUMNS)}, job_id from ${raw(rowsOf('tag', job))} where job_id = ${job.id} and ${within(ranges)}`,
      { dynamic: job.at !== undefined },
    );
    return fromRows({ ...NO_ROWS, tags }).tags;
  }

  /** Without elements. */
  async shapesWithin(db: Queryable, job: WantedJob, ranges: readonly FrameRange[]): Promise<Shape[]> {
    const shapes = await db.query<ShapeRow>(
      sql`select ${raw(SHAPE_COLUMNS)}, job_id from ${raw(rowsOf('shape', job))}
        where job_id = ${job.id} and ${within(ranges)} and parent_id is null`,
      { dynamic: job.at !== undefined },
    );
    return fromRows({ ...NO_ROWS, shapes }).shapes;
  }

  /** Joining skeletons costs time, and most jobs have none. */
  private async shapesQuery(db: Queryable, job: WantedJob): Promise<string> {
    const from = rowsOf('shape', job);
    const [found] = await db.query<{ skeletons: boolean }>(
      sql`select exists (select from ${raw(from)} where job_id = ${job.id} and parent_id is not null) as skeletons`,
      { dynamic: job.at !== undefined },
    );
    if (found?.skeletons !== true) {
      return `select ${SHAPE_COLUMNS} from ${from} where ${ofJob(job)}${onFrames(job)} order by frame, id`;
    }
    const columns = SHAPE_COLUMNS.replaceAll(/\w+/g, 'annotation_shape.$&');
    const parents = `(select id as skeleton_id, frame as skeleton_frame from ${from} where ${ofJob(job)}) parent`;
    return `select ${columns} from ${from} left join ${parents} on skeleton_id = parent_id
      where ${ofJob(job)}${onFrames(job)}
      order by coalesce(skeleton_frame, frame), coalesce(skeleton_id, id), parent_id is not null, id`;
  }
}

const ofJob = ({ id }: WantedJob): string => `job_id = ${Math.trunc(id)}`;

const onFrames = ({ frames }: WantedJob): string =>
  frames === undefined ? '' : ` and frame between ${Math.trunc(frames[0])} and ${Math.trunc(frames[1])}`;

const within = (ranges: readonly FrameRange[]): Sql =>
  or(ranges.map(([first, last]) => sql`frame between ${first} and ${last}`));

/** Rows of some tracks each, elements in the group of their track. */
function* groups(rows: readonly TrackRow[]): Generator<TrackRow[]> {
  let group: TrackRow[] = [];
  let tracks = 0;
  let current: number | undefined;
  for (const row of rows) {
    const track = row.parent_id ?? row.id;
    if (track !== current) {
      if (tracks === TRACKS_AT_ONCE) {
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
