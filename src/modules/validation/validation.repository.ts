import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import type { Honeypot } from '../../engines/media/validation-frames.js';
import { sql } from '../../engines/sql/sql.js';

/** The frames of a job: task-relative, inclusive. */
export interface CheckedJob {
  readonly id: number;
  readonly segmentId: number;
  readonly type: string;
  readonly start: number;
  readonly stop: number;
}

/** A task and its media, as far as a ground truth job depends on them. */
export interface GroundTruthTask {
  readonly dimension: string;
  readonly segment_size: number;
  /** Null without data. */
  readonly data_id: number | null;
  /** Number of frames; null without data, 0 until the data is processed. */
  readonly size: number | null;
  /** Absolute frame number. */
  readonly start_frame: number | null;
  readonly frame_filter: string | null;
  readonly validation_mode: string | null;
  readonly segments: readonly { readonly start: number; readonly stop: number }[];
}

/** The value of `media_data.validation_layout`. */
export interface GroundTruthLayout {
  /** Set if frames were selected per job. */
  readonly frames_per_job_count: number | null;
  /** Frames of the ground truth job. Task-relative, ascending. */
  readonly frames: readonly number[];
  /** Those of `frames` that are currently left out of checks. */
  readonly disabled_frames: readonly number[];
}

@Injectable()
export class ValidationRepository {
  /** @returns null for a task without data, undefined for an unknown task */
  async dataOf(db: Queryable, taskId: number): Promise<number | null | undefined> {
    const [row] = await db.query<{ data_id: number | null }>(sql`select data_id from task where id = ${taskId}`);
    return row?.data_id;
  }

  /** Like `dataOf`, and locks the task until the transaction ends. */
  async lockDataOf(tx: Tx, taskId: number): Promise<number | null | undefined> {
    const [row] = await tx.query<{ data_id: number | null }>(sql`
      select data_id from task where id = ${taskId} for no key update`);
    return row?.data_id;
  }

  /** Ordered by their first frame. */
  jobs(db: Queryable, taskId: number): Promise<CheckedJob[]> {
    return db.query<CheckedJob>(sql`
      select job.id, job.segment_id as "segmentId", job.type, segment.start_frame as start, segment.stop_frame as stop
      from job join segment on segment.id = job.segment_id where job.task_id = ${taskId}
      order by segment.start_frame, job.id`);
  }

  async taskOf(db: Queryable, jobId: number): Promise<number | undefined> {
    const [row] = await db.query<{ task_id: number }>(sql`select task_id from job where id = ${jobId}`);
    return row?.task_id;
  }

  /** Makes the honeypots repeat other frames of the pool. */
  async setHoneypots(tx: Tx, dataId: number, honeypots: readonly Honeypot[]): Promise<void> {
    await tx.query(sql`
      update media_frame set real_frame = pool.frame, path = pool.path, width = pool.width, height = pool.height,
        related_files = pool.related_files
      from json_to_recordset(${JSON.stringify(honeypots)}::json) as honeypot(frame int, "real" int)
        join media_frame pool on pool.data_id = ${dataId} and pool.frame = honeypot."real"
      where media_frame.data_id = ${dataId} and media_frame.frame = honeypot.frame`);
  }

  /** Marks the chunks of these segments as changed. */
  async setChunksUpdated(tx: Tx, segmentIds: readonly number[], now: Date): Promise<void> {
    await tx.query(sql`update segment set chunks_updated_date = ${now} where id = any(${[...segmentIds]}::int[])`);
  }

  async groundTruthTask(tx: Tx, id: number): Promise<GroundTruthTask | undefined> {
    const [row] = await tx.query<GroundTruthTask>(sql`
      select task.dimension, task.segment_size, task.data_id, media_data.size, media_data.start_frame, media_data.frame_filter,
        media_data.validation_mode,
        (select coalesce(json_agg(json_build_object('start', segment.start_frame, 'stop', segment.stop_frame) order by segment.id), '[]')
         from segment where segment.task_id = task.id and segment.type = 'range') as segments
      from task left join media_data on media_data.id = task.data_id where task.id = ${id}`);
    return row;
  }

  async setLayout(tx: Tx, taskId: number, mode: string | null, layout: GroundTruthLayout | null): Promise<void> {
    await tx.query(sql`
      update media_data set validation_mode = ${mode}, validation_layout = ${layout === null ? null : JSON.stringify(layout)}::jsonb
      from task where task.id = ${taskId} and media_data.id = task.data_id`);
  }
}
