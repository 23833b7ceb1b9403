import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { sql } from '../../../engines/sql/sql.js';

/** A file that a client has uploaded or is uploading. */
export interface UploadRow {
  readonly file_id: string;
  readonly data_id: number;
  readonly user_id: number;
  readonly name: string;
  readonly length: number;
  readonly completed_date: string | null;
}

export interface NewUpload {
  readonly fileId: string;
  readonly name: string;
  readonly length: number;
  readonly complete: boolean;
}

@Injectable()
export class MediaUploadRepository {
  /** In the order of `uploads`. */
  async insert(tx: Tx, dataId: number, userId: number, uploads: readonly NewUpload[], now: Date): Promise<void> {
    if (uploads.length === 0) return;
    await tx.query(sql`
      insert into media_upload (file_id, data_id, user_id, name, length, created_date, completed_date)
      select file_id, ${dataId}::int, ${userId}::int, name, length, ${now}::timestamptz,
        case when complete then ${now}::timestamptz end
      from unnest(${uploads.map(({ fileId }) => fileId)}::uuid[], ${uploads.map(({ name }) => name)}::text[],
        ${uploads.map(({ length }) => length)}::bigint[], ${uploads.map(({ complete }) => complete)}::bool[])
        with ordinality as item(file_id, name, length, complete, place)
      order by place`);
  }

  /** Files of a task's data, in upload order. */
  ofData(db: Queryable, dataId: number): Promise<UploadRow[]> {
    return db.query<UploadRow>(sql`
      select file_id, data_id, user_id, name, length, completed_date from media_upload where data_id = ${dataId} order by id`);
  }

  async fileIdsOf(db: Queryable, dataIds: readonly number[]): Promise<string[]> {
    const rows = await db.query<{ file_id: string }>(sql`
      select file_id from media_upload where data_id = any(${[...dataIds]}::int[])`);
    return rows.map((row) => row.file_id);
  }

  /** Returns which of these names the data already has complete files for. */
  async taken(db: Queryable, dataId: number, names: readonly string[]): Promise<string[]> {
    const rows = await db.query<{ name: string }>(sql`
      select name from media_upload
      where data_id = ${dataId} and name = any(${[...names]}::text[]) and completed_date is not null order by id`);
    return rows.map((row) => row.name);
  }

  /** An incomplete upload of a task. */
  async unfinished(db: Queryable, taskId: number, fileId: string): Promise<UploadRow | undefined> {
    const [row] = await db.query<UploadRow>(sql`
      select upload.file_id, upload.data_id, upload.user_id, upload.name, upload.length, upload.completed_date
      from media_upload upload join task on task.data_id = upload.data_id
      where task.id = ${taskId} and upload.file_id = ${fileId}::uuid and upload.completed_date is null`);
    return row;
  }

  /** Can be repeated. @returns false if another complete file with that name exists; the upload is then deleted */
  async complete(tx: Tx, upload: UploadRow, now: Date): Promise<boolean> {
    const rows = await tx.query(sql`
      update media_upload set completed_date = ${now} where file_id = ${upload.file_id}::uuid and completed_date is null
        and not exists (select from media_upload other where other.data_id = ${upload.data_id}
          and other.name = ${upload.name} and other.completed_date is not null)
      returning 1`);
    if (rows.length > 0) return true;
    const deleted = await tx.query(sql`
      delete from media_upload where file_id = ${upload.file_id}::uuid and completed_date is null returning 1`);
    return deleted.length === 0;
  }

  /**
   * @param userId deletes only this user's uploads
   * @returns ids of the files to remove
   */
  async deleteOfData(tx: Tx, dataId: number, userId: number | null = null): Promise<string[]> {
    const rows = await tx.query<{ file_id: string }>(sql`
      delete from media_upload where data_id = ${dataId} and user_id = coalesce(${userId}::int, user_id) returning file_id`);
    return rows.map((row) => row.file_id);
  }

  /** Deletes uploads that were not completed since `before`. @returns ids of their files */
  async deleteUnfinished(db: Queryable, before: Date): Promise<string[]> {
    const rows = await db.query<{ file_id: string }>(sql`
      delete from media_upload where completed_date is null and created_date < ${before} returning file_id`);
    return rows.map((row) => row.file_id);
  }

  /** Returns which of these files belong to a task. */
  async known(db: Queryable, fileIds: readonly string[]): Promise<Set<string>> {
    const rows = await db.query<{ file_id: string }>(sql`
      select file_id from media_upload where file_id = any(${[...fileIds]}::uuid[])`);
    return new Set(rows.map((row) => row.file_id));
  }
}
