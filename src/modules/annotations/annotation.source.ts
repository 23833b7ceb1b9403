import { Injectable } from '@nestjs/common';
import { copyOut } from '../../core/database/copy.js';
import type { Queryable } from '../../core/database/db.js';
import type { Snapshot } from '../../core/database/snapshot.js';
import { fromRows, fromTrackRows } from '../../engines/annotations/from-rows.js';
import type { Shape, Tag, Track } from '../../engines/annotations/model.js';
import type { IntervalRow, ShapeRow, TagRow, TrackedShapeRow, TrackRow } from '../../engines/annotations/rows.js';
import { or, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { SHAPE_COLUMNS, shapeFrom, TAG_COLUMNS, tagFrom } from './copy-rows.js';

/** Shapes with their elements. */
export interface ShapeBatch {
  readonly rows: readonly ShapeRow[];
  /** By the id of the skeleton. */
  readonly elementsOf: ReadonlyMap<number, readonly ShapeRow[]>;
}

/** First and last frame, inclusive. */
export type FrameRange = readonly [first: number, last: number];

/** Tracks whose keyframes are read at once. */
const TRACKS_AT_ONCE = 50;

const NO_ROWS = { tags: [], shapes: [], tracks: [], trackedShapes: [], intervals: [] };

/** The annotations of one job, in bounded pieces: a job may have a million. */
@Injectable()
export class AnnotationSource {
  /** By frame. */
  async *tags(snapshot: Snapshot, jobId: number): AsyncGenerator<TagRow[]> {
    const query = `select ${TAG_COLUMNS} from annotation_tag where job_id = ${jobId} order by frame, id`;
    for await (const lines of copyOut(snapshot.client, query)) yield lines.map((line) => tagFrom(line, jobId));
  }

  /** By frame. Elements come right after their skeleton, so the last shape of a piece waits for the next one. */
  async *shapes(snapshot: Snapshot, jobId: number): AsyncGenerator<ShapeBatch> {
    let rows: ShapeRow[] = [];
    let elementsOf = new Map<number, ShapeRow[]>();
    for await (const lines of copyOut(snapshot.client, await this.shapesQuery(snapshot, jobId))) {
      for (const line of lines) {
        const row = shapeFrom(line, jobId);
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
  async *tracks(db: Queryable, jobId: number): AsyncGenerator<Track[]> {
    const rows = await db.query<TrackRow>(sql`
      select id, job_id, parent_id, label_id, frame, group_id, source, attributes
      from annotation_track where job_id = ${jobId} order by coalesce(parent_id, id), id`);
    for (const group of groups(rows)) {
      const ids = group.map((row) => row.id);
      const shapes = await db.query<TrackedShapeRow>(sql`
        select id, job_id, track_id, type, frame, occluded, outside, z_order, rotation, points, attributes
        from annotation_tracked_shape where job_id = ${jobId} and track_id = any(${ids}::bigint[])`);
      yield fromTrackRows(group, shapes);
    }
  }

  intervals(db: Queryable, jobId: number): Promise<IntervalRow[]> {
    return db.query<IntervalRow>(sql`
      select id, job_id, label_id, start, stop, group_id, source, score, attributes
      from annotation_interval where job_id = ${jobId} order by start, id`);
  }

  async tagsWithin(db: Queryable, jobId: number, ranges: readonly FrameRange[]): Promise<Tag[]> {
    const tags = await db.query<TagRow>(sql`
      select ${raw(TAG_COLUMNS)}, job_id from annotation_tag
      where job_id = ${jobId} and ${within(ranges)}`);
    return fromRows({ ...NO_ROWS, tags }).tags;
  }

  /** Without elements. */
  async shapesWithin(db: Queryable, jobId: number, ranges: readonly FrameRange[]): Promise<Shape[]> {
    const shapes = await db.query<ShapeRow>(sql`
      select ${raw(SHAPE_COLUMNS)}, job_id from annotation_shape
      where job_id = ${jobId} and ${within(ranges)} and parent_id is null`);
    return fromRows({ ...NO_ROWS, shapes }).shapes;
  }

  /** Joining skeletons costs time, and most jobs have none. */
  private async shapesQuery(db: Queryable, jobId: number): Promise<string> {
    const [found] = await db.query<{ skeletons: boolean }>(sql`
      select exists (select from annotation_shape where job_id = ${jobId} and parent_id is not null) as skeletons`);
    if (found?.skeletons !== true) {
      return `select ${SHAPE_COLUMNS} from annotation_shape where job_id = ${jobId} order by frame, id`;
    }
    const columns = SHAPE_COLUMNS.replaceAll(/\w+/g, 'shape.$&');
    return `select ${columns} from annotation_shape shape left join annotation_shape parent on parent.id = shape.parent_id
      where shape.job_id = ${jobId}
      order by coalesce(parent.frame, shape.frame), coalesce(parent.id, shape.id), shape.parent_id is not null, shape.id`;
  }
}

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
