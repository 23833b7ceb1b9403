import { Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { sql } from '../../engines/sql/sql.js';
import type { ValidationLayout } from './validation-layout.js';

/** What a ground truth job depends on in its task and the task's media. */
export interface GroundTruthTask {
  readonly dimension: string;
  readonly segment_size: number;
  /** Null without data. */
  readonly data_id: number | null;
  /** Frames; null without data, 0 until processing has ended. */
  readonly size: number | null;
  /** Absolute. */
  readonly start_frame: number | null;
  readonly frame_filter: string | null;
  readonly validation_mode: string | null;
  readonly segments: readonly { readonly start: number; readonly stop: number }[];
}

@Injectable()
export class GroundTruthRepository {
  async task(tx: Tx, id: number): Promise<GroundTruthTask | undefined> {
    const [row] = await tx.query<GroundTruthTask>(sql`
      select task.dimension, task.segment_size, task.data_id, media_data.size, media_data.start_frame, media_data.frame_filter,
        media_data.validation_mode,
        (select coalesce(json_agg(json_build_object('start', segment.start_frame, 'stop', segment.stop_frame) order by segment.id), '[]')
         from segment where segment.task_id = task.id and segment.type = 'range') as segments
      from task left join media_data on media_data.id = task.data_id where task.id = ${id}`);
    return row;
  }

  async setLayout(tx: Tx, taskId: number, mode: string | null, layout: ValidationLayout | null): Promise<void> {
    await tx.query(sql`
      update media_data set validation_mode = ${mode}, validation_layout = ${layout === null ? null : JSON.stringify(layout)}::jsonb
      from task where task.id = ${taskId} and media_data.id = task.data_id`);
  }
}
