import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import { LAST_FRAME } from '../../../engines/annotations/frames.js';
import { join, raw, type Sql, sql } from '../../../engines/sql/sql.js';
import type { AnnotatedJob } from '../annotated-task.repository.js';
import { type Kind, REMOVED, TABLES } from '../annotation-tables.js';

/** Consecutive frames of a job; both ends are inclusive. */
export interface ChangedRange {
  readonly job_id: number;
  readonly first: number;
  readonly last: number;
}

/** Finds the frames whose annotations were added, changed or removed. */
@Injectable()
export class ChangedFrames {
  /**
   * Compares the current state of jobs with that after a save. A changed track counts on all frames where it is or was
   * visible. If the history no longer reaches back to the save, all frames of later saved jobs count.
   */
  async since(db: Queryable, jobs: readonly AnnotatedJob[], save: number): Promise<ChangedRange[]> {
    const saved = jobs.filter(({ revision }) => revision > save);
    if (saved.length === 0) return [];
    if (!(await this.isKnown(db, save))) {
      return saved.map(({ id, start, stop }) => ({ job_id: id, first: start, last: stop }));
    }
    return db.query<ChangedRange>(changedRanges(saved, save));
  }

  /** Removed annotations are deleted from the oldest save on, so those of later saves still exist if this one does. */
  private async isKnown(db: Queryable, save: number): Promise<boolean> {
    const [row] = await db.query<{ known: boolean }>(
      sql`select exists (select from annotation_revision where id <= ${save}) as known`,
    );
    return row?.known === true;
  }
}

function changedRanges(jobs: readonly AnnotatedJob[], save: number): Sql {
  const single = (['tag', 'shape'] as const).map((kind) => changedRows(kind, sql`frame as first, frame as last`, save));
  const tracks = [changedRows('track', sql`id`, save), changedRows('trackedShape', sql`track_id as id`, save)];
  return sql`
    with wanted as (
      select * from unnest(${jobs.map(({ id }) => id)}::int[], ${jobs.map(({ stop }) => stop)}::int[]) as job(job_id, stop)),
    track as (select distinct job_id, id from (${join(tracks, ' union all ')}) changed),
    keyframe as (${keyframes(save)}),
    visible as (
      select job_id, outside, frame as first,
        coalesce(lead(frame) over (partition by is_current, job_id, track_id order by frame) - 1, stop) as last
      from keyframe join wanted using (job_id)),
    changed as (
      ${join(single, ' union all ')}
      union all select job_id, first, greatest(first, last) from visible where not outside),
    merged as (
      select job_id, unnest(range_agg(int4range(first, least(last, greatest(first, stop)), '[]'))) as frames
      from changed join wanted using (job_id) where first <= ${LAST_FRAME} group by job_id)
    select job_id, lower(frames) as first, upper(frames) - 1 as last from merged order by job_id, first`;
}

/** The rows that were written after the save, and those that existed then and were removed. */
const changedRows = (kind: Kind, columns: Sql, save: number): Sql => sql`
  select job_id, ${columns} from ${raw(TABLES[kind])} join wanted using (job_id) where revision_id > ${save}
  union all
  select job_id, ${columns} from ${raw(REMOVED[kind])} join wanted using (job_id)
  where removed_id > ${save} and revision_id <= ${save}`;

/** The keyframes of the changed tracks now, and after the save. */
function keyframes(save: number): Sql {
  const of = (table: string, isCurrent: boolean): Sql => sql`
    select ${raw(String(isCurrent))} as is_current, keyframe.job_id, track_id, frame, outside
    from track join ${raw(table)} keyframe on keyframe.job_id = track.job_id and keyframe.track_id = track.id`;
  return sql`${of(TABLES.trackedShape, true)}
    union all ${of(TABLES.trackedShape, false)} where revision_id <= ${save}
    union all ${of(REMOVED.trackedShape, false)} where revision_id <= ${save} and removed_id > ${save}`;
}
