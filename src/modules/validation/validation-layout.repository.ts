import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import type { Honeypot } from '../../engines/media/validation-frames.js';
import { sql } from '../../engines/sql/sql.js';

/** A job as far as its frames go. Task-relative, inclusive. */
export interface CheckedJob {
  readonly id: number;
  readonly segmentId: number;
  readonly type: string;
  readonly start: number;
  readonly stop: number;
}

@Injectable()
export class ValidationLayoutRepository {
  /** Null for a task without data; undefined for none. */
  async dataOf(db: Queryable, taskId: number): Promise<number | null | undefined> {
    const [row] = await db.query<{ data_id: number | null }>(sql`select data_id from task where id = ${taskId}`);
    return row?.data_id;
  }

  /** By first frame. */
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

  /** The honeypots show other frames of the pool from now on. */
  async setHoneypots(tx: Tx, dataId: number, honeypots: readonly Honeypot[]): Promise<void> {
    await tx.query(sql`
      update media_frame set real_frame = pool.frame, path = pool.path, width = pool.width, height = pool.height,
        related_files = pool.related_files
      from json_to_recordset(${JSON.stringify(honeypots)}::json) as honeypot(frame int, "real" int)
        join media_frame pool on pool.data_id = ${dataId} and pool.frame = honeypot."real"
      where media_frame.data_id = ${dataId} and media_frame.frame = honeypot.frame`);
  }

  /** Chunks of these segments are others now. */
  async setChunksUpdated(tx: Tx, segmentIds: readonly number[], now: Date): Promise<void> {
    await tx.query(sql`update segment set chunks_updated_date = ${now} where id = any(${[...segmentIds]}::int[])`);
  }
}
