import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { validationFailure } from '../../engines/media/media-error.js';
import { join, raw, type Sql, sql } from '../../engines/sql/sql.js';
import type { DataParametersDto } from './upload/data-parameters.js';

/** Properties of a task's media other than its frames. */
export interface MediaDataRow {
  readonly id: number;
  readonly chunk_size: number | null;
  readonly size: number;
  readonly image_quality: number;
  readonly start_frame: number;
  readonly stop_frame: number;
  readonly frame_filter: string;
  readonly sorting_method: string;
}

/** One stored image of a task. */
export interface NewFrame {
  /** Absolute. */
  readonly frame: number;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly related: readonly string[];
  /** Absolute: the pool frame that a honeypot repeats. */
  readonly realFrame: number | null;
}

/** The values that are known once processing is complete. */
export interface ProcessedData {
  readonly chunkSize: number;
  readonly size: number;
  /** Absolute. */
  readonly stopFrame: number;
  readonly compressedType: string;
  readonly originalType: string;
  /** `local`, `share` or `cloud_storage`. */
  readonly storage: string;
  readonly cloudStorageId: number | null;
  /** The validation frames. With gt_pool, frames are renumbered from 0. */
  readonly validation?: {
    readonly mode: 'gt' | 'gt_pool';
    readonly framesPerJob: number | null;
    readonly frames: readonly number[];
  };
}

/** The row of media restored from a backup. */
export interface RestoredData {
  readonly chunkSize: number | null;
  readonly size: number;
  readonly imageQuality: number;
  /** Absolute, like stopFrame. */
  readonly startFrame: number;
  readonly stopFrame: number;
  readonly frameFilter: string;
  readonly compressedType: string;
  readonly originalType: string;
  readonly storageMethod: string;
  readonly sortingMethod: string;
  /** Task-relative. */
  readonly deletedFrames: readonly number[];
  /** Frames are task-relative, ascending. */
  readonly validation: {
    readonly mode: 'gt' | 'gt_pool';
    readonly framesPerJob: number | null;
    readonly frames: readonly number[];
    readonly disabledFrames: readonly number[];
  } | null;
}

/** Rows per statement: a single statement for all rows would take several times their memory. */
const FRAMES_TOGETHER = 5000;

@Injectable()
export class MediaDataRepository {
  async insert(tx: Tx): Promise<number> {
    const [row] = await tx.query<{ id: number }>(sql`insert into media_data default values returning id`);
    return row?.id ?? 0;
  }

  /** Reserves an id that no other data will use. */
  async reserveId(db: Queryable): Promise<number> {
    const [row] = await db.query<{ id: number }>(sql`select nextval('media_data_id_seq')::int as id`);
    return row?.id ?? 0;
  }

  /** Inserts data whose images are already stored. */
  async insertWhole(tx: Tx, id: number, data: { readonly size: number; readonly chunkSize: number }): Promise<void> {
    await tx.query(sql`
      insert into media_data (id, size, stop_frame, chunk_size)
      values (${id}, ${data.size}, ${data.size - 1}, ${data.chunkSize})`);
  }

  async insertRestored(tx: Tx, id: number, data: RestoredData): Promise<void> {
    const { validation } = data;
    const layout =
      validation === null
        ? null
        : JSON.stringify({
            frames_per_job_count: validation.framesPerJob,
            frames: validation.frames,
            disabled_frames: validation.disabledFrames,
          });
    await tx.query(sql`
      insert into media_data (id, size, chunk_size, image_quality, start_frame, stop_frame, frame_filter,
        compressed_chunk_type, original_chunk_type, storage_method, sorting_method, deleted_frames, validation_mode,
        validation_layout)
      values (${id}, ${data.size}, ${data.chunkSize}, ${data.imageQuality}, ${data.startFrame}, ${data.stopFrame},
        ${data.frameFilter}, ${data.compressedType}, ${data.originalType}, ${data.storageMethod}, ${data.sortingMethod},
        ${[...data.deletedFrames]}::int[], ${validation?.mode ?? null}, ${layout}::jsonb)`);
  }

  /** Returns the task's data id and number of frames, and locks the task until the transaction ends. */
  async lockOfTask(tx: Tx, taskId: number): Promise<{ data_id: number | null; size: number } | undefined> {
    const [row] = await tx.query<{ data_id: number | null; size: number }>(sql`
      select task.data_id, coalesce(media_data.size, 0) as size
      from task left join media_data on media_data.id = task.data_id where task.id = ${taskId} for no key update of task`);
    return row;
  }

  async sizeOfTask(db: Queryable, taskId: number): Promise<number> {
    const [row] = await db.query<{ size: number }>(sql`
      select media_data.size from task join media_data on media_data.id = task.data_id where task.id = ${taskId}`);
    return row?.size ?? 0;
  }

  async find(db: Queryable, id: number): Promise<MediaDataRow | undefined> {
    const [row] = await db.query<MediaDataRow>(sql`
      select id, chunk_size, size, image_quality, start_frame, stop_frame, frame_filter, sorting_method
      from media_data where id = ${id}`);
    return row;
  }

  /** Leaves absent parameters unchanged. */
  async setParameters(tx: Tx, id: number, dto: DataParametersDto): Promise<void> {
    const assignments: Sql[] = [
      sql`image_quality = ${dto.image_quality}`,
      ...(dto.chunk_size === undefined ? [] : [sql`chunk_size = ${dto.chunk_size}`]),
      ...(dto.start_frame === undefined ? [] : [sql`start_frame = ${dto.start_frame}`]),
      ...(dto.stop_frame === undefined ? [] : [sql`stop_frame = ${dto.stop_frame}`]),
      ...(dto.frame_filter === undefined ? [] : [sql`frame_filter = ${dto.frame_filter}`]),
      ...(dto.sorting_method === undefined ? [] : [sql`sorting_method = ${dto.sorting_method}`]),
    ];
    await tx.query(sql`update media_data set ${join(assignments, ', ')} where id = ${id}`);
  }

  async complete(tx: Tx, id: number, data: ProcessedData): Promise<void> {
    const checked = data.validation === undefined ? raw('') : validationColumns(data.validation);
    await tx.query(sql`
      update media_data set chunk_size = ${data.chunkSize}, size = ${data.size}, stop_frame = ${data.stopFrame},
        compressed_chunk_type = ${data.compressedType}, original_chunk_type = ${data.originalType},
        storage = ${data.storage}, cloud_storage_id = ${data.cloudStorageId} ${checked}
      where id = ${id}`);
  }

  /** Inserts any number of frames in batches. Takes one batch at a time from a generator. */
  async insertFrames(tx: Tx, dataId: number, frames: Iterable<NewFrame>): Promise<void> {
    let slice: NewFrame[] = [];
    for (const frame of frames) {
      slice.push(frame);
      if (slice.length < FRAMES_TOGETHER) continue;
      await this.insertSome(tx, dataId, slice);
      slice = [];
    }
    if (slice.length > 0) await this.insertSome(tx, dataId, slice);
  }

  private async insertSome(tx: Tx, dataId: number, frames: readonly NewFrame[]): Promise<void> {
    await tx.query(sql`
      insert into media_frame (data_id, frame, path, width, height, real_frame)
      select ${dataId}::int, frame, path, width, height, real_frame
      from unnest(${frames.map(({ frame }) => frame)}::int[], ${frames.map(({ path }) => path)}::text[],
        ${frames.map(({ width }) => width)}::int[], ${frames.map(({ height }) => height)}::int[],
        ${frames.map(({ realFrame }) => realFrame)}::int[]) as item(frame, path, width, height, real_frame)`);
    const withContext = frames.filter(({ related }) => related.length > 0);
    if (withContext.length === 0) return;
    await tx.query(sql`
      update media_frame set related_files = item.related
      from json_to_recordset(${JSON.stringify(withContext)}::json) as item(frame int, related text[])
      where media_frame.data_id = ${dataId} and media_frame.frame = item.frame`);
  }

  /**
   * Annotations of a project's tasks are exported together, so all of its tasks must have the same dimension, 2D or 3D.
   * @throws MediaError if another task of the project has frames of another dimension
   */
  async requireSameDimension(db: Queryable, taskId: number, dimension: string): Promise<void> {
    const [row] = await db.query<{ dimension: string }>(sql`
      select other.dimension from task join task as other on other.project_id = task.project_id and other.id <> task.id
        join media_data on media_data.id = other.data_id and media_data.size > 0
      where task.id = ${taskId} limit 1`);
    if (row === undefined || row.dimension === dimension) return;
    throw validationFailure(
      `Dimension (${dimension}) of the task must be the same as other tasks in project (${row.dimension})`,
    );
  }

  /** Ids of the data of tasks that are about to be deleted. */
  async idsOfTasks(db: Queryable, taskIds: readonly number[]): Promise<number[]> {
    const rows = await db.query<{ data_id: number }>(sql`
      select data_id from task where id = any(${[...taskIds]}::int[]) and data_id is not null`);
    return rows.map((row) => row.data_id);
  }

  /** Ids of data whose task was deleted. */
  async orphans(db: Queryable): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select id from media_data where not exists (select from task where task.data_id = media_data.id)`);
    return rows.map((row) => row.id);
  }

  /** Returns which of these data have a row. */
  async known(db: Queryable, ids: readonly number[]): Promise<Set<number>> {
    const rows = await db.query<{ id: number }>(sql`select id from media_data where id = any(${[...ids]}::int[])`);
    return new Set(rows.map((row) => row.id));
  }

  /** Deletes the data whose task was deleted. */
  async deleteOrphans(db: Queryable, ids: readonly number[]): Promise<void> {
    await db.query(sql`
      delete from media_data where id = any(${[...ids]}::int[])
        and not exists (select from task where task.data_id = media_data.id)`);
  }
}

function validationColumns({ mode, framesPerJob, frames }: NonNullable<ProcessedData['validation']>): Sql {
  const layout = JSON.stringify({ frames_per_job_count: framesPerJob, frames, disabled_frames: [] });
  const anew = mode === 'gt_pool' ? raw(`, start_frame = 0, frame_filter = ''`) : raw('');
  return sql`, validation_mode = ${mode}, validation_layout = ${layout}::jsonb ${anew}`;
}
