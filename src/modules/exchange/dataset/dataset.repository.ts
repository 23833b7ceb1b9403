import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import { type Sql, sql } from '../../../engines/sql/sql.js';
import type { ExportTarget } from '../exchange-requests.js';

/** The columns that formats need of projects, tasks and jobs alike. */
export interface HeaderRow {
  readonly id: number;
  readonly name: string;
  readonly bug_tracker: string;
  readonly created_date: string;
  readonly updated_date: string;
  readonly owner_name: string | null;
  readonly owner_email: string | null;
  readonly assignee_name: string | null;
  readonly assignee_email: string | null;
}

export interface TaskRow extends HeaderRow {
  readonly project_id: number | null;
  readonly mode: string;
  readonly is_video: boolean;
  readonly is_audio: boolean;
  readonly overlap: number;
  readonly subset: string;
  readonly data_id: number;
  readonly storage: string;
  readonly cloud_storage_id: number | null;
  readonly size: number;
  readonly start_frame: number;
  readonly stop_frame: number;
  readonly frame_filter: string;
  /** Frame numbers in the task. */
  readonly deleted_frames: readonly number[];
  /** The segments of the annotation jobs, ordered by first frame. */
  readonly segments: readonly SegmentRow[];
}

export interface SegmentRow {
  /** The id of the job. */
  readonly id: number;
  readonly start: number;
  readonly stop: number;
}

export interface JobRow extends HeaderRow {
  readonly task_id: number;
  readonly start: number;
  readonly stop: number;
  /** Absolute numbers of its own frames; null if it has its full range. */
  readonly frames: readonly number[] | null;
}

export interface ImageRow {
  /** Absolute. */
  readonly frame: number;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  /** Paths of its context images. */
  readonly related_files: readonly string[];
  /** Whether it repeats a frame of the task's validation pool. */
  readonly is_honeypot: boolean;
}

const PEOPLE = sql`owner.username as owner_name, owner.email as owner_email,
  assignee.username as assignee_name, assignee.email as assignee_email`;

/** Reads what formats need of projects, tasks and jobs. */
@Injectable()
export class DatasetRepository {
  async project(db: Queryable, id: number): Promise<HeaderRow | undefined> {
    const [row] = await db.query<HeaderRow>(sql`
      select project.id, project.name, coalesce(project.bug_tracker, '') as bug_tracker, project.created_date,
        project.updated_date, ${PEOPLE}
      from project left join app_user owner on owner.id = project.owner_id
        left join app_user assignee on assignee.id = project.assignee_id
      where project.id = ${id}`);
    return row;
  }

  /** A task, if it has data. */
  async task(db: Queryable, id: number): Promise<TaskRow | undefined> {
    const [row] = await this.tasks(db, sql`task.id = ${id}`);
    return row;
  }

  /** The tasks of a project that have data. */
  tasksOfProject(db: Queryable, id: number): Promise<TaskRow[]> {
    return this.tasks(db, sql`task.project_id = ${id}`);
  }

  /** The states of the jobs of tasks, by job id. */
  async jobStates(db: Queryable, taskIds: readonly number[]): Promise<Map<number, string>> {
    const rows = await db.query<{ id: number; state: string }>(sql`
      select id, state from job where task_id = any(${[...taskIds]}::int[])`);
    return new Map(rows.map(({ id, state }) => [id, state]));
  }

  async job(db: Queryable, id: number): Promise<JobRow | undefined> {
    const [row] = await db.query<JobRow>(sql`
      select job.id, job.task_id, task.name, coalesce(task.bug_tracker, '') as bug_tracker, job.created_date,
        job.updated_date, ${PEOPLE}, segment.start_frame as start, segment.stop_frame as stop,
        case when segment.type = 'range' then null else segment.frames end as frames
      from job join segment on segment.id = job.segment_id join task on task.id = job.task_id
        left join app_user owner on owner.id = task.owner_id left join app_user assignee on assignee.id = job.assignee_id
      where job.id = ${id}`);
    return row;
  }

  /** In order. A video has one row for all of its frames. */
  images(db: Queryable, dataId: number): Promise<ImageRow[]> {
    return db.query<ImageRow>(sql`
      select frame, path, width, height, related_files, real_frame is not null as is_honeypot from media_frame where data_id = ${dataId} order by frame`);
  }

  /** When an object last changed, and its scope; undefined if it no longer exists. */
  async findScope(db: Queryable, { kind, id }: ExportTarget): Promise<ScopeRow | undefined> {
    const [row] = await db.query<ScopeRow>(SCOPE_QUERIES[kind](id));
    return row;
  }

  /** The default source or destination of an object's files; a job uses that of its task. */
  async defaultStorage(
    db: Queryable,
    { kind, id }: ExportTarget,
    field: DefaultStorage,
  ): Promise<{ location: string; cloud_storage_id: number | null } | undefined> {
    const column = field === 'source_storage' ? sql`source_storage_id` : sql`target_storage_id`;
    const owner = {
      project: sql`select ${column} as id from project where id = ${id}`,
      task: sql`select ${column} as id from task where id = ${id}`,
      job: sql`select task.${column} as id from job join task on task.id = job.task_id where job.id = ${id}`,
    }[kind];
    const [row] = await db.query<{ location: string; cloud_storage_id: number | null }>(sql`
      select storage.location, storage.cloud_storage_id from (${owner}) owner join storage on storage.id = owner.id`);
    return row;
  }

  private tasks(db: Queryable, which: Sql): Promise<TaskRow[]> {
    return db.query<TaskRow>(sql`
      select task.id, task.name, coalesce(task.bug_tracker, '') as bug_tracker, task.created_date, task.updated_date,
        ${PEOPLE}, task.project_id, task.mode, media_data.original_chunk_type = 'video' as is_video, task.dimension = '1d' as is_audio, coalesce(task.overlap, 0) as overlap, task.subset, media_data.id as data_id, media_data.storage, media_data.cloud_storage_id,
        media_data.size, media_data.start_frame, media_data.stop_frame, media_data.frame_filter, media_data.deleted_frames,
        (select coalesce(json_agg(json_build_object('id', job.id, 'start', segment.start_frame, 'stop', segment.stop_frame)
            order by segment.start_frame, job.id), '[]')
         from job join segment on segment.id = job.segment_id
         where job.task_id = task.id and job.type = 'annotation') as segments
      from task join media_data on media_data.id = task.data_id
        left join app_user owner on owner.id = task.owner_id
        left join app_user assignee on assignee.id = task.assignee_id
      where ${which} and media_data.size > 0 order by task.id`);
  }
}

export type DefaultStorage = 'source_storage' | 'target_storage';

export interface ScopeRow {
  readonly project_id: number | null;
  readonly task_id: number | null;
  readonly job_id: number | null;
  readonly organization_id: number | null;
  readonly updated_date: string;
}

const SCOPE_QUERIES: Readonly<Record<ExportTarget['kind'], (id: number) => Sql>> = {
  project: (id) => sql`
    select id as project_id, null::int as task_id, null::int as job_id, organization_id, updated_date
    from project where id = ${id}`,
  task: (id) => sql`
    select project_id, id as task_id, null::int as job_id, organization_id, updated_date from task where id = ${id}`,
  job: (id) => sql`
    select task.project_id, task.id as task_id, job.id as job_id, task.organization_id, job.updated_date
    from job join task on task.id = job.task_id where job.id = ${id}`,
};
