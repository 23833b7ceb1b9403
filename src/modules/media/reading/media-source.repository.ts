import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import { NotFound } from '../../../core/http/errors/errors.js';
import { parseFrameStep } from '../../../engines/media/frames.js';
import { deletedWith, type Honeypot } from '../../../engines/media/validation-frames.js';
import { raw, sql } from '../../../engines/sql/sql.js';
import type { JobFacts } from '../../../shared/policy/job.policy.js';
import type { TaskFacts } from '../../../shared/policy/task.policy.js';
import { readTaskFacts, TASK_FACTS_COLUMNS, taskFactsJoin, type TaskFactsRow } from '../../tasks/index.js';
import type { VideoRef } from './video-store.js';

/** The media of a task or the part that belongs to a job. Frames are task-relative unless stated otherwise. */
export interface MediaSource {
  readonly taskId: number;
  readonly dataId: number;
  readonly storage: string;
  readonly cloudStorageId: number | null;
  readonly chunkSize: number | null;
  /** Number of the task's frames. */
  readonly size: number;
  readonly imageQuality: number;
  /** Types of chunks. The task has a video if its original chunks are videos. */
  readonly compressedType: ChunkType;
  readonly originalType: ChunkType;
  /** Whether this is an audio task. Its only frame row is the file; its frames are milliseconds. */
  readonly isAudio: boolean;
  /** Absolute number of task frame 0, and the distance between frames. */
  readonly start: number;
  readonly step: number;
  readonly stopFrame: number;
  readonly frameFilter: string;
  readonly deletedFrames: readonly number[];
  /** Date of the last change of the chunks; null without frames. */
  readonly chunksDate: string | null;
  /** Only for jobs. */
  readonly segment: MediaSegment | null;
}

/** Types of chunks that this server makes. */
export type ChunkType = 'imageset' | 'video';

/** The type of chunks of imported audio tasks. */
const AUDIO = 'audio_mp3';

export interface MediaSegment {
  readonly start: number;
  readonly stop: number;
  /** The job's frames, ascending, if it does not include the whole range. */
  readonly included: readonly number[] | null;
  readonly jobType: string;
  readonly disabledFrames: readonly number[];
}

export interface FrameRow {
  /** Absolute. */
  readonly frame: number;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly related_files: readonly string[];
}

/** The metadata of a frame, in the form of the API. */
export interface FrameMeta {
  readonly width: number;
  readonly height: number;
  readonly name: string;
  readonly related_files: number;
  readonly has_related_context: boolean;
}

/** Null without rows. */
interface FrameColumns {
  readonly names: readonly string[] | null;
  readonly widths: readonly number[];
  readonly heights: readonly number[];
  readonly related: readonly number[];
}

/** The name of frames that do not belong to the job. */
const PLACEHOLDER = 'placeholder.jpg';

/** Frames per statement, so that other requests get a turn in between. */
const METAS_TOGETHER = 50_000;

/** Frames are task-relative. */
export interface ValidationRow {
  readonly mode: 'gt' | 'gt_pool' | null;
  readonly framesPerJob: number | null;
  readonly frames: readonly number[];
  readonly disabledFrames: readonly number[];
  readonly deletedFrames: readonly number[];
}

interface DataRow {
  readonly task_id: number;
  readonly data_id: number | null;
  readonly storage: string;
  readonly cloud_storage_id: number | null;
  readonly chunk_size: number | null;
  readonly size: number;
  readonly image_quality: number;
  readonly compressed_chunk_type: ChunkType | typeof AUDIO;
  readonly original_chunk_type: ChunkType | typeof AUDIO;
  readonly start_frame: number;
  readonly stop_frame: number;
  readonly frame_filter: string;
  readonly deleted_frames: number[];
  readonly chunks_date: string | null;
}

interface SegmentRow {
  readonly assignee_id: number | null;
  readonly job_type: string;
  readonly segment_start: number;
  readonly segment_stop: number;
  readonly segment_type: string;
  readonly segment_frames: number[];
  readonly disabled_frames: number[] | null;
}

const DATA_COLUMNS = sql`task.id as task_id, media_data.id as data_id, media_data.storage, media_data.cloud_storage_id,
  media_data.chunk_size, media_data.size,
  media_data.image_quality, media_data.compressed_chunk_type, media_data.original_chunk_type,
  media_data.start_frame, media_data.stop_frame, media_data.frame_filter, media_data.deleted_frames`;

/** Reads everything needed to serve a media request, including the facts for the policy, in one statement. */
@Injectable()
export class MediaSourceRepository {
  /** @returns source null for a task without data */
  async ofTask(
    db: Queryable,
    taskId: number,
    actorId: number,
  ): Promise<{ facts: TaskFacts; source: MediaSource | null } | undefined> {
    const [row] = await db.query<DataRow & TaskFactsRow>(sql`
      select ${DATA_COLUMNS}, ${TASK_FACTS_COLUMNS},
        (select max(segment.chunks_updated_date) from segment where segment.task_id = task.id) as chunks_date
      from task left join project on project.id = task.project_id left join media_data on media_data.id = task.data_id
        ${taskFactsJoin(actorId)}
      where task.id = ${taskId}`);
    return row === undefined ? undefined : { facts: readTaskFacts(row), source: toSource(row, null) };
  }

  async ofJob(
    db: Queryable,
    jobId: number,
    actorId: number,
  ): Promise<{ facts: JobFacts; source: MediaSource | null } | undefined> {
    const [row] = await db.query<DataRow & SegmentRow & TaskFactsRow>(sql`
      select ${DATA_COLUMNS}, ${TASK_FACTS_COLUMNS}, job.assignee_id, job.type as job_type,
        segment.start_frame as segment_start, segment.stop_frame as segment_stop, segment.type as segment_type,
        segment.frames as segment_frames, segment.chunks_updated_date as chunks_date,
        case when job.type = 'ground_truth'
          then array(select jsonb_array_elements_text(media_data.validation_layout->'disabled_frames')::int) end as disabled_frames
      from job join segment on segment.id = job.segment_id join task on task.id = job.task_id
        left join project on project.id = task.project_id left join media_data on media_data.id = task.data_id
        ${taskFactsJoin(actorId)}
      where job.id = ${jobId}`);
    if (row === undefined) return undefined;
    const facts = { assigneeId: row.assignee_id, task: readTaskFacts(row) };
    return { facts, source: toSource(row, row) };
  }

  /** Frames of the data, in order. @param from absolute and inclusive, like `to` */
  frames(db: Queryable, dataId: number, from: number, to: number): Promise<FrameRow[]> {
    return db.query<FrameRow>(sql`
      select frame, path, width, height, related_files from media_frame
      where data_id = ${dataId} and frame between ${from} and ${to} order by frame`);
  }

  /** @param number absolute @throws NotFound if the frame was deleted with its task after the lookup */
  async frame(db: Queryable, dataId: number, number: number): Promise<FrameRow> {
    const [row] = await this.frames(db, dataId, number, number);
    if (row === undefined) throw NotFound.of('Task');
    return row;
  }

  /** The video of a task. Its only frame row is the video. @throws NotFound if it was deleted with its task */
  async video(db: Queryable, { dataId, storage, cloudStorageId }: MediaSource): Promise<VideoRef> {
    const { path } = await this.frame(db, dataId, 0);
    return { dataId, storage, cloudStorageId, path };
  }

  /**
   * The metadata of frames, in order. Reads columns as JSON lists: the driver needs five times as long for 100,000 rows, and
   * blocks this process meanwhile.
   * @param from absolute and inclusive, like `to`
   * @param own absolute numbers of frames that are not replaced by a placeholder; null: all
   */
  async frameMetas(
    db: Queryable,
    dataId: number,
    from: number,
    to: number,
    own: readonly number[] | null,
  ): Promise<FrameMeta[]> {
    const isOwn = own === null ? raw('true') : sql`frame = any(${[...own]}::int[])`;
    const metas: FrameMeta[] = [];
    for (let start = from; start <= to; start += METAS_TOGETHER) {
      const stop = Math.min(start + METAS_TOGETHER - 1, to);
      const [row] = await db.query<FrameColumns>(sql`
        select json_agg(width) as widths, json_agg(height) as heights, json_agg(name) as names, json_agg(related) as related
        from (
          select width, height, case when ${isOwn} then path else ${PLACEHOLDER} end as name,
            case when ${isOwn} then cardinality(related_files) else 0 end as related
          from media_frame where data_id = ${dataId} and frame between ${start} and ${stop} order by frame) as found`);
      row?.names?.forEach((name, at) => {
        const [width = 0, height = 0, related = 0] = [row.widths[at], row.heights[at], row.related[at]];
        metas.push({ width, height, name, related_files: related, has_related_context: related > 0 });
      });
    }
    return metas;
  }

  async setDeletedFrames(db: Queryable, dataId: number, frames: readonly number[]): Promise<void> {
    await db.query(sql`update media_data set deleted_frames = ${[...frames]}::int[] where id = ${dataId}`);
  }

  /**
   * Replaces the frames excluded from validation. In a task with a pool, also deletes their honeypots. The caller has
   * locked the data.
   */
  async setDisabledFrames(db: Queryable, dataId: number, frames: readonly number[]): Promise<void> {
    const validation = await this.validation(db, dataId);
    if (validation?.mode === 'gt_pool') {
      const honeypots = await this.honeypots(db, dataId);
      const change = { before: validation.disabledFrames, after: frames };
      await this.setDeletedFrames(db, dataId, deletedWith(validation.deletedFrames, honeypots, change));
    }
    await db.query(sql`
      update media_data set validation_layout =
        jsonb_set(coalesce(validation_layout, '{}'), '{disabled_frames}', ${JSON.stringify(frames)}::jsonb)
      where id = ${dataId}`);
  }

  /** The validation frames of a task. */
  async validation(db: Queryable, dataId: number): Promise<ValidationRow | undefined> {
    const [row] = await db.query<ValidationRow>(sql`
      select validation_mode as mode, deleted_frames as "deletedFrames",
        (validation_layout->>'frames_per_job_count')::int as "framesPerJob",
        array(select jsonb_array_elements_text(validation_layout->'frames')::int) as frames,
        array(select jsonb_array_elements_text(validation_layout->'disabled_frames')::int) as "disabledFrames"
      from media_data where id = ${dataId}`);
    return row;
  }

  /** The honeypots, ordered by frame. Only tasks with a pool have any. */
  honeypots(db: Queryable, dataId: number): Promise<Honeypot[]> {
    return db.query<Honeypot>(sql`
      select frame, real_frame as real from media_frame where data_id = ${dataId} and real_frame is not null order by frame`);
  }

  /** Locks the data until the transaction ends. @returns the deleted frames */
  async lock(db: Queryable, dataId: number): Promise<number[]> {
    const [row] = await db.query<{ deleted_frames: number[] }>(sql`
      select deleted_frames from media_data where id = ${dataId} for update`);
    return row?.deleted_frames ?? [];
  }

  /** The newest task of a project that has frames. */
  async newestTaskWithFrames(db: Queryable, projectId: number): Promise<number | undefined> {
    const [row] = await db.query<{ id: number }>(sql`
      select task.id from task join media_data on media_data.id = task.data_id
      where task.project_id = ${projectId} and media_data.size > 0 and task.dimension <> '1d' order by task.id desc limit 1`);
    return row?.id;
  }
}

function toSource(row: DataRow, segment: SegmentRow | null): MediaSource | null {
  if (row.data_id === null) return null;
  const step = parseFrameStep(row.frame_filter) ?? 1;
  const start = row.start_frame;
  return {
    taskId: row.task_id,
    dataId: row.data_id,
    storage: row.storage,
    cloudStorageId: row.cloud_storage_id,
    chunkSize: row.chunk_size,
    size: row.size,
    imageQuality: row.image_quality,
    compressedType: row.compressed_chunk_type === AUDIO ? 'imageset' : row.compressed_chunk_type,
    originalType: row.original_chunk_type === AUDIO ? 'imageset' : row.original_chunk_type,
    isAudio: row.original_chunk_type === AUDIO,
    start,
    step,
    stopFrame: row.stop_frame,
    frameFilter: row.frame_filter,
    deletedFrames: row.deleted_frames,
    chunksDate: row.chunks_date,
    segment:
      segment === null
        ? null
        : {
            start: segment.segment_start,
            stop: segment.segment_stop,
            included:
              segment.segment_type === 'range'
                ? null
                : segment.segment_frames.map((frame) => (frame - start) / step).toSorted((a, b) => a - b),
            jobType: segment.job_type,
            disabledFrames: segment.disabled_frames ?? [],
          },
  };
}
