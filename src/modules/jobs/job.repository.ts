import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import type { EventScope } from '../../core/events/event-map.js';
import { join, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { from, innerJoin, leftJoin, table, type Tables } from '../../engines/sql/tables.js';
import type { JobFacts } from '../../shared/policy/job.policy.js';
import { storageColumns } from '../storages/index.js';
import { TASK_FACTS_COLUMNS, taskFactsJoin, type TaskFactsRow } from '../tasks/index.js';
import { basicUserColumns } from '../users/index.js';
import { factsOf, type JobRow } from './job.dto.js';
import type { JobProgress } from './job-progress.js';

/** `job` with the tables by whose columns lists of jobs are filtered, sorted and searched. */
export const JOB_TABLES: Tables = {
  table: table('job'),
  joins: [
    innerJoin(table('task'), 'job.task_id'),
    leftJoin(table('project'), 'task.project_id'),
    leftJoin(table('app_user', 'assignee'), 'job.assignee_id'),
  ],
};

const JOB_FROM = from({
  table: JOB_TABLES.table,
  joins: [
    innerJoin(table('segment'), 'job.segment_id'),
    ...JOB_TABLES.joins,
    leftJoin(table('media_data'), 'task.data_id'),
  ],
});

/** `job` with the tables that contain the fields of `JobRow`, and what the policy needs to know about the actor. */
export const jobFrom = (actorId: number): Sql => sql`${JOB_FROM} ${taskFactsJoin(actorId)}`;

/** Columns of `JobRow`. */
export const JOB_COLUMNS = sql`job.id, job.task_id, job.segment_id, task.name as task_name, task.project_id,
  project.name as project_name, task.organization_id, job.type, job.status,
  job.stage, job.state, job.assignee_updated_date, job.parent_job_id, job.created_date, job.updated_date,
  task.dimension, task.mode, coalesce(nullif(task.bug_tracker, ''), project.bug_tracker) as bug_tracker,
  case when job.type = 'annotation' then task.consensus_replicas else 0 end as consensus_replicas,
  case when segment.type = 'range' then segment.stop_frame - segment.start_frame + 1 else cardinality(segment.frames) end
    as frame_count,
  segment.start_frame, segment.stop_frame, segment.type as segment_type,
  media_data.chunk_size, media_data.compressed_chunk_type, media_data.original_chunk_type,
  ${storageColumns('task')},
  ${basicUserColumns('assignee', 'assignee')},
  case when task.project_id is null then (select guide.id from guide where guide.task_id = task.id)
    else (select guide.id from guide where guide.project_id = task.project_id) end as guide_id,
  (select count(*) from issue where issue.job_id = job.id) as issue_count,
  ${TASK_FACTS_COLUMNS}`;

const PROGRESS = ['stage', 'state', 'status'] as const;

export interface NewSegment {
  readonly start: number;
  readonly stop: number;
  readonly type: 'range' | 'specific_frames';
  /** Absolute numbers; only for specific_frames. */
  readonly frames: readonly number[];
}

export interface NewJob {
  readonly id: number;
  readonly segmentId: number;
  readonly type: string;
  readonly parentJobId: number | null;
  readonly assigneeId: number | null;
  readonly stage: string;
  readonly state: string;
  readonly status: string;
}

@Injectable()
export class JobRepository {
  /** Jobs and what the policy needs to know about them, sorted by id. */
  findAll(db: Queryable, ids: readonly number[], actorId: number): Promise<JobRow[]> {
    return db.query<JobRow>(sql`
      select ${JOB_COLUMNS} from ${jobFrom(actorId)} where job.id = any(${[...ids]}::int[]) order by job.id`);
  }

  async find(db: Queryable, id: number, actorId: number): Promise<JobRow | undefined> {
    const [row] = await db.query<JobRow>(sql`select ${JOB_COLUMNS} from ${jobFrom(actorId)} where job.id = ${id}`);
    return row;
  }

  async facts(db: Queryable, id: number, actorId: number): Promise<JobFacts | undefined> {
    return (await this.factsWithScope(db, id, actorId))?.facts;
  }

  /** The facts that the policy needs, the scope of events about things in the job, and the number of frames of its task. */
  async factsWithScope(
    db: Queryable,
    id: number,
    actorId: number,
  ): Promise<{ readonly facts: JobFacts; readonly scope: EventScope; readonly taskSize: number } | undefined> {
    const [row] = await db.query<TaskFactsRow & { assignee_id: number | null; task_id: number; size: number }>(sql`
      select job.assignee_id, job.task_id, coalesce(media_data.size, 0) as size, ${TASK_FACTS_COLUMNS}
      from job join task on task.id = job.task_id left join media_data on media_data.id = task.data_id
      left join project on project.id = task.project_id ${taskFactsJoin(actorId)} where job.id = ${id}`);
    if (row === undefined) return undefined;
    return {
      facts: factsOf(row),
      scope: {
        organizationId: row.fact_organization_id,
        projectId: row.fact_project_id,
        taskId: row.task_id,
        jobId: id,
      },
      taskSize: row.size,
    };
  }

  /** Locks all jobs of these tasks until the transaction ends. @returns their ids, newest first */
  async lockOfTasks(tx: Tx, taskIds: readonly number[]): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(
      sql`select id from job where task_id = any(${[...taskIds]}::int[]) order by id for update`,
    );
    return rows.map(({ id }) => id).toReversed();
  }

  /** Locks these jobs until the transaction ends, and reads them in the same round trip. */
  async lock(tx: Tx, ids: readonly number[], actorId: number): Promise<JobRow[]> {
    const locked = tx.query(sql`select 1 from job where id = any(${[...ids]}::int[]) order by id for no key update`);
    const [, rows] = await Promise.all([locked, this.findAll(tx, ids, actorId)]);
    return rows;
  }

  /**
   * Locks the tasks of these jobs before the jobs, so that no other transaction changes a status of the tasks' jobs.
   * @returns the jobs
   */
  async lockWithTasks(tx: Tx, ids: readonly number[], actorId: number): Promise<JobRow[]> {
    const tasks = tx.query(sql`
      select 1 from task where id in (select task_id from job where job.id = any(${[...ids]}::int[]))
      order by id for no key update`);
    const [, rows] = await Promise.all([tasks, this.lock(tx, ids, actorId)]);
    return rows;
  }

  /**
   * Writes the progress of each job, and one assignee for all of them. Leaves out columns that no job changes, because
   * writing them would update indexes and counters for nothing.
   * @param after the new progress of the jobs of `before`, in the same order
   * @param assigneeId undefined: unchanged; null: unassign
   */
  setAll(
    tx: Tx,
    before: readonly JobRow[],
    after: readonly JobProgress[],
    assigneeId: number | null | undefined,
    now: Date,
  ): void {
    const changed = PROGRESS.filter((column) => before.some((job, index) => job[column] !== after[index]?.[column]));
    const progress = before.map(({ id }, index) => ({ ...after[index], id }));
    const columns = changed.map((column) => raw(`${column} = progress.${column},`));
    const assigned =
      assigneeId === undefined
        ? raw('')
        : sql`assignee_id = ${assigneeId}::int, assignee_updated_date = case
            when job.assignee_id is distinct from ${assigneeId}::int then ${now} else job.assignee_updated_date end,`;
    tx.write(sql`
      update job set ${assigned} ${join(columns, ' ')} updated_date = ${now}
      from json_to_recordset(${JSON.stringify(progress)}::json) as progress(id int, stage text, state text, status text)
      where job.id = progress.id`);
  }

  setUpdated(tx: Tx, ids: readonly number[], now: Date): void {
    tx.write(sql`update job set updated_date = ${now} where id = any(${[...ids]}::int[])`);
  }

  /** @returns ids in the order of `segments` */
  async insertSegments(tx: Tx, taskId: number, segments: readonly NewSegment[], now: Date): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(sql`
      insert into segment (task_id, start_frame, stop_frame, type, frames, chunks_updated_date)
      select ${taskId}::int, start, stop, type, frames, ${now}::timestamptz
      from json_to_recordset(${JSON.stringify(segments.map((segment, index) => ({ ...segment, index })))}::json)
        as segment(index int, start int, stop int, type text, frames int[])
      order by index
      returning id`);
    return rows.map((row) => row.id);
  }

  async insert(tx: Tx, taskId: number, jobs: readonly NewJob[], now: Date): Promise<void> {
    await tx.query(sql`
      insert into job (id, segment_id, task_id, type, parent_job_id, assignee_id, assignee_updated_date, stage, state, status,
        created_date, updated_date)
      select id, "segmentId", ${taskId}::int, type, "parentJobId", "assigneeId",
        case when "assigneeId" is null then null else ${now}::timestamptz end, stage, state, status, ${now}, ${now}
      from json_to_recordset(${JSON.stringify(jobs)}::json) as job(id int, "segmentId" int, type text, "parentJobId" int,
        "assigneeId" int, stage text, state text, status text)`);
  }

  /** Deletes the segment of a ground truth job, and with it the job. */
  async deleteSegment(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`delete from segment where id = ${id}`);
  }

  /**
   * The stored statuses of tasks, and the statuses of their jobs. The ids are passed through a subquery: with a plain
   * array, PostgreSQL would plan the statement on every execution, which takes six times as long as running it.
   */
  statuses(
    tx: Tx,
    taskIds: readonly number[],
  ): Promise<{ readonly id: number; readonly stored: string; readonly of_jobs: string[] }[]> {
    return tx.query(sql`
      select task.id, task.status as stored, array(select distinct job.status from job where job.task_id = task.id) as of_jobs
      from task where task.id = any(array(select unnest(${[...taskIds]}::int[])))`);
  }
}
