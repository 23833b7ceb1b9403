import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import { choice, integer, text } from '../../../core/list/list-spec.js';
import { parseFilter } from '../../../engines/filter/json-logic.js';
import { raw, type Sql, sql } from '../../../engines/sql/sql.js';
import { JOB_STAGES, JOB_STATES, JOB_TYPES } from '../../jobs/index.js';

/** A task, and its ground truth job if it has one. */
export interface CheckedTask {
  readonly id: number;
  readonly project_id: number | null;
  readonly organization_id: number | null;
  readonly dimension: string;
  readonly status: string;
  readonly updated_date: string;
  readonly assignee_id: number | null;
  /** Null without data. */
  readonly data_id: number | null;
  readonly start_frame: number | null;
  readonly frame_filter: string | null;
  readonly gt_id: number | null;
  readonly gt_updated_date: string | null;
  /** At the stage acceptance and completed. */
  readonly gt_finished: boolean | null;
}

/** A job that is compared with the ground truth. Frames are task-relative and inclusive. */
export interface CheckedJob {
  readonly id: number;
  readonly assignee_id: number | null;
  readonly updated_date: string;
  readonly state: string;
  readonly start: number;
  readonly stop: number;
  /** Whether the job filter accepts it. */
  readonly selected: boolean;
}

/** Frames are absolute. */
export interface FrameSizeRow {
  readonly frame: number;
  readonly width: number;
  readonly height: number;
}

/** The fields of job filters. */
const FIELDS = {
  assignee: text('assignee.username'),
  id: integer('job.id'),
  stage: choice('job.stage', JOB_STAGES),
  state: choice('job.state', JOB_STATES),
  task_id: integer('job.task_id'),
  task_name: text('task.name'),
  type: choice('job.type', JOB_TYPES),
};

/** Reads what is compared: tasks, their jobs, and the sizes of frames. */
@Injectable()
export class CheckedTaskRepository {
  async task(db: Queryable, id: number): Promise<CheckedTask | undefined> {
    const [task] = await this.tasks(db, sql`task.id = ${id}`);
    return task;
  }

  /** By id. */
  tasksOfProject(db: Queryable, projectId: number): Promise<CheckedTask[]> {
    return this.tasks(db, sql`task.project_id = ${projectId}`);
  }

  async project(
    db: Queryable,
    id: number,
  ): Promise<{ updated_date: string; organization_id: number | null } | undefined> {
    const [row] = await db.query<{ updated_date: string; organization_id: number | null }>(sql`
      select updated_date, organization_id from project where id = ${id}`);
    return row;
  }

  async taskOfJob(db: Queryable, jobId: number): Promise<number | undefined> {
    const [row] = await db.query<{ task_id: number }>(sql`select task_id from job where id = ${jobId}`);
    return row?.task_id;
  }

  /** All jobs but the ground truth, by id. @param filter as stored in the settings. @throws FilterError */
  jobs(db: Queryable, taskId: number, filter: string): Promise<CheckedJob[]> {
    return db.query<CheckedJob>(
      sql`
      select job.id, job.assignee_id, job.updated_date, job.state, segment.start_frame as start, segment.stop_frame as stop,
        (${jobCondition(filter)}) is true as selected
      from job join task on task.id = job.task_id join segment on segment.id = job.segment_id
        left join app_user assignee on assignee.id = job.assignee_id
      where job.task_id = ${taskId} and job.type <> 'ground_truth' order by job.id`,
      { dynamic: true },
    );
  }

  /** @param frames absolute. A video has one size for all of its frames */
  async sizes(db: Queryable, dataId: number, frames: readonly number[]): Promise<FrameSizeRow[]> {
    const rows = await db.query<FrameSizeRow>(sql`
      select frame, width, height from media_frame where data_id = ${dataId} and frame = any(${[...frames]}::int[])`);
    if (rows.length === frames.length) return rows;
    const [video] = await db.query<FrameSizeRow>(sql`
      select frame, width, height from media_frame where data_id = ${dataId} order by frame limit 1`);
    const known = new Map(rows.map((row) => [row.frame, row]));
    return frames.flatMap((frame) => {
      const size = known.get(frame) ?? video;
      return size === undefined ? [] : [{ ...size, frame }];
    });
  }

  private tasks(db: Queryable, condition: Sql): Promise<CheckedTask[]> {
    return db.query<CheckedTask>(sql`
      select task.id, task.project_id, task.organization_id, task.dimension, task.status, task.updated_date, task.assignee_id,
        task.data_id, media_data.start_frame, media_data.frame_filter, gt.id as gt_id, gt.updated_date as gt_updated_date,
        gt.stage = 'acceptance' and gt.state = 'completed' as gt_finished
      from task left join media_data on media_data.id = task.data_id
        left join lateral (
          select id, updated_date, stage, state from job where task_id = task.id and type = 'ground_truth' order by id limit 1
        ) gt on true
      where ${condition} order by task.id`);
  }
}

/** Empty filters accept every job. @throws FilterError */
function jobCondition(filter: string): Sql {
  if (/^(\[\s*\]|\{\s*\})?$/.test(filter.trim())) return raw('true');
  return parseFilter(filter, FIELDS) ?? raw('true');
}
