import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import { sql } from '../../../engines/sql/sql.js';

/** The columns of a task and its media that a backup contains. */
export interface BackupTaskRow {
  readonly id: number;
  readonly project_id: number | null;
  readonly name: string;
  readonly bug_tracker: string;
  readonly status: string;
  readonly subset: string;
  readonly segment_size: number;
  readonly consensus_replicas: number;
  readonly overlap: number;
  readonly mode: string;
  readonly data_id: number;
  readonly size: number;
  readonly chunk_size: number | null;
  readonly image_quality: number;
  readonly start_frame: number;
  readonly stop_frame: number;
  readonly frame_filter: string;
  readonly storage_method: string;
  readonly storage: string;
  readonly cloud_storage_id: number | null;
  readonly sorting_method: string;
  readonly original_chunk_type: string;
  readonly compressed_chunk_type: string;
  readonly deleted_frames: readonly number[];
  readonly validation_mode: 'gt' | 'gt_pool' | null;
  readonly validation_layout: {
    readonly frames_per_job_count: number | null;
    readonly frames: readonly number[];
    readonly disabled_frames: readonly number[];
  } | null;
}

export interface BackupReplicaRow {
  readonly id: number;
  readonly stage: string;
  readonly state: string;
}

/** The job of a segment that is not a replica. */
export interface BackupJobRow extends BackupReplicaRow {
  readonly type: string;
  readonly status: string;
  readonly start: number;
  readonly stop: number;
  /** Absolute; empty if the job has its full range. */
  readonly frames: readonly number[];
  /** In order. */
  readonly replicas: readonly BackupReplicaRow[];
}

export interface BackupFrameRow {
  /** Absolute. */
  readonly frame: number;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly related_files: readonly string[];
}

export interface BackupProjectRow {
  readonly id: number;
  readonly name: string;
  readonly bug_tracker: string;
  readonly status: string;
}

/** Reads the contents of backups. */
@Injectable()
export class BackupRepository {
  /** A task, if it has data. */
  async task(db: Queryable, id: number): Promise<BackupTaskRow | undefined> {
    const [row] = await db.query<BackupTaskRow>(sql`
      select task.id, task.project_id, task.name, coalesce(task.bug_tracker, '') as bug_tracker, task.status,
        task.subset, task.segment_size, task.consensus_replicas, coalesce(task.overlap, 0) as overlap, task.mode, media_data.id as data_id,
        media_data.size, chunk_size,
        image_quality, start_frame, stop_frame, frame_filter, storage_method, storage, cloud_storage_id, sorting_method,
        original_chunk_type, compressed_chunk_type, deleted_frames, validation_mode, validation_layout
      from task join media_data on media_data.id = task.data_id
      where task.id = ${id} and media_data.size > 0`);
    return row;
  }

  async project(db: Queryable, id: number): Promise<BackupProjectRow | undefined> {
    const [row] = await db.query<BackupProjectRow>(sql`
      select id, name, coalesce(bug_tracker, '') as bug_tracker, status from project where id = ${id}`);
    return row;
  }

  /** The tasks of the project that have data. */
  async tasksOfProject(db: Queryable, projectId: number): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select task.id from task join media_data on media_data.id = task.data_id
      where task.project_id = ${projectId} and media_data.size > 0 order by task.id`);
    return rows.map(({ id }) => id);
  }

  /** One job per segment, with its replicas. */
  jobs(db: Queryable, taskId: number): Promise<BackupJobRow[]> {
    return db.query<BackupJobRow>(sql`
      select job.id, job.type, job.status, job.stage, job.state, segment.start_frame as start, segment.stop_frame as stop,
        case when segment.type = 'range' then '{}' else segment.frames end as frames,
        (select coalesce(json_agg(json_build_object('id', replica.id, 'stage', replica.stage, 'state', replica.state)
            order by replica.id), '[]')
         from job replica where replica.parent_job_id = job.id) as replicas
      from job join segment on segment.id = job.segment_id
      where job.task_id = ${taskId} and job.type in ('annotation', 'ground_truth') order by job.id`);
  }

  /** In order. A video has one row for all of its frames. */
  frames(db: Queryable, dataId: number): Promise<BackupFrameRow[]> {
    return db.query<BackupFrameRow>(sql`
      select frame, path, width, height, related_files from media_frame where data_id = ${dataId} order by frame`);
  }
}
