import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import { type Sql, sql } from '../../../engines/sql/sql.js';
import { basicUserColumns } from '../../users/index.js';

/** A project and a range of time. */
export interface ActivityRange {
  readonly projectId: number;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

/** What was done on a day, by a user, or altogether: the other columns are null. */
export interface FiguresRow {
  readonly day: string | null;
  readonly user_id: number | null;
  readonly is_user: boolean;
  readonly objects: number;
  readonly working_time: number;
  readonly jobs_completed: number;
}

export interface FramesRow {
  readonly day: string | null;
  readonly user_id: number | null;
  readonly is_user: boolean;
  readonly frames: number;
}

export interface IdleJobRow {
  readonly id: number;
  readonly task_id: number;
  readonly task_name: string;
  readonly stage: string;
  readonly state: string;
  readonly updated_date: string;
  readonly count: number;
}

const MAX_JOBS = 100;
const DAY = sql`to_char(event_time at time zone 'UTC', 'YYYY-MM-DD')`;

/** Reads figures about the work in a project from the event log. */
@Injectable()
export class ActivityRepository {
  /**
   * Clients name the project of working times themselves, and anybody may. So only the working time of people who have
   * changed something in the project counts.
   */
  figures(db: Queryable, range: ActivityRange): Promise<FiguresRow[]> {
    return db.query<FiguresRow>(sql`
      select day, user_id, grouping(user_id) = 0 as is_user,
        coalesce(sum(count) filter (where scope in ('create:tags', 'create:shapes', 'create:tracks')), 0)::float8 as objects,
        coalesce(sum(duration) filter (where scope = 'send:working_time' and has_changes), 0)::float8 as working_time,
        count(distinct job_id) filter (
          where scope = 'update:job' and obj_name = 'state' and obj_val = 'completed')::int as jobs_completed
      from (select ${DAY} as day, user_id, scope, count, duration, job_id, obj_name, obj_val,
          bool_or(scope <> 'send:working_time') over (partition by user_id) as has_changes
        from logged_event where ${within(range)}) event
      group by grouping sets ((day), (user_id), ())`);
  }

  /** The number of different frames that were annotated. */
  frames(db: Queryable, range: ActivityRange): Promise<FramesRow[]> {
    return db.query<FramesRow>(sql`
      select day, user_id, is_user, sum(frames)::int as frames
      from (
        select day, user_id, grouping(user_id) = 0 as is_user,
          (select sum(upper(one) - lower(one)) from unnest(range_agg(part)) one) as frames
        from (select ${DAY} as day, user_id, job_id, unnest(frames) as part
          from logged_event where ${within(range)} and frames is not null) event
        group by grouping sets ((day, job_id), (user_id, job_id), (job_id))) job
      group by day, user_id, is_user`);
  }

  people(db: Queryable, ids: readonly number[]): Promise<object[]> {
    return db.query<object>(sql`
      select ${basicUserColumns('app_user', 'user')} from app_user where id = any(${[...ids]}::int[])`);
  }

  async openIssues(db: Queryable, projectId: number): Promise<number> {
    const [row] = await db.query<{ count: number }>(sql`
      select count(*)::int as count from issue join job on job.id = issue.job_id join task on task.id = job.task_id
      where task.project_id = ${projectId} and not issue.resolved`);
    return row?.count ?? 0;
  }

  /** Jobs in progress that were not changed since, with their number. */
  idleJobs(db: Queryable, projectId: number, since: Date): Promise<IdleJobRow[]> {
    return db.query<IdleJobRow>(sql`
      select job.id, job.task_id, task.name as task_name, job.stage, job.state, job.updated_date,
        ${basicUserColumns('assignee', 'assignee')}, (count(*) over ())::int as count
      from job join task on task.id = job.task_id left join app_user assignee on assignee.id = job.assignee_id
      where task.project_id = ${projectId} and job.state = 'in progress' and job.updated_date <= ${since}
      order by job.updated_date, job.id limit ${MAX_JOBS}`);
  }
}

const within = ({ projectId, from, to }: ActivityRange): Sql => sql`
  project_id = ${projectId} and source = 'server' and event_time >= ${from} and event_time < ${to}`;
