import { Injectable } from '@nestjs/common';
import { copyIn } from '../../core/database/copy.js';
import type { Tx } from '../../core/database/tx.js';
import { isUniqueViolation } from '../../core/database/unique-violation.js';
import { InvalidString } from '../../core/http/errors.js';
import { COLUMNS, copyChunks, copyLine } from '../../engines/annotations/copy-text.js';
import { countMissingIds, type IdsByKind } from '../../engines/annotations/ids.js';
import type { LabeledData } from '../../engines/annotations/model.js';
import type { AnnotationRows } from '../../engines/annotations/rows.js';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { type Kind, KEY_NAMES, TABLES } from './annotation-tables.js';

/** Ids of whole objects; what belongs to them goes with them. */
export interface ObjectIds {
  readonly tags: readonly number[];
  readonly shapes: readonly number[];
  readonly tracks: readonly number[];
  readonly intervals: readonly number[];
}

/** Writing annotations. The caller has locked the jobs. */
@Injectable()
export class AnnotationRepository {
  /**
   * The first of a block of free ids for each kind, as long as `data` needs. Updates may bring ids of their own, so a
   * block may turn out to be taken in part; then a longer one is reserved and its free end used.
   */
  async reserveIds(tx: Tx, data: LabeledData): Promise<IdsByKind> {
    const wanted = countMissingIds(data);
    const first = { ...wanted };
    for (const kind of Object.keys(TABLES) as Kind[]) {
      if (wanted[kind] > 0) first[kind] = await this.reserve(tx, kind, wanted[kind]);
    }
    return first;
  }

  /** @throws InvalidString when an id is taken */
  async insert(tx: Tx, rows: AnnotationRows): Promise<void> {
    await this.copy(tx, 'tag', rows.tags, copyLine.tag);
    await this.copy(tx, 'shape', rows.shapes, copyLine.shape);
    await this.copy(tx, 'track', rows.tracks, copyLine.track);
    await this.copy(tx, 'trackedShape', rows.trackedShapes, copyLine.trackedShape);
    await this.copy(tx, 'interval', rows.intervals, copyLine.interval);
  }

  /** @returns the jobs among these that had annotations */
  async deleteAll(tx: Tx, jobIds: readonly number[]): Promise<number[]> {
    const ids = [...jobIds];
    const rows = await tx.query<{ job_id: number }>(sql`
      with tags as (delete from annotation_tag where job_id = any(${ids}::int[]) returning job_id),
        shapes as (delete from annotation_shape where job_id = any(${ids}::int[]) returning job_id),
        tracked_shapes as (delete from annotation_tracked_shape where job_id = any(${ids}::int[])),
        tracks as (delete from annotation_track where job_id = any(${ids}::int[]) returning job_id),
        intervals as (delete from annotation_interval where job_id = any(${ids}::int[]) returning job_id)
      select job_id from tags union select job_id from shapes union select job_id from tracks
      union select job_id from intervals`);
    return rows.map((row) => row.job_id);
  }

  /** Deletes objects of one job with their elements and tracked shapes; ids of other jobs and unknown ones do nothing. */
  async delete(tx: Tx, jobId: number, ids: ObjectIds): Promise<void> {
    const { tags, shapes, tracks, intervals } = ids;
    const inJob = (list: readonly number[]): Sql => sql`job_id = ${jobId} and id = any(${[...list]}::bigint[])`;
    const under = (list: readonly number[]): Sql => sql`job_id = ${jobId} and parent_id = any(${[...list]}::bigint[])`;
    if (tags.length > 0) await tx.query(sql`delete from annotation_tag where ${inJob(tags)}`);
    if (intervals.length > 0) await tx.query(sql`delete from annotation_interval where ${inJob(intervals)}`);
    if (shapes.length > 0) {
      await tx.query(sql`with elements as (delete from annotation_shape where ${under(shapes)})
        delete from annotation_shape where ${inJob(shapes)}`);
    }
    if (tracks.length > 0) {
      await tx.query(sql`
        with elements as (delete from annotation_track where ${under(tracks)} returning id),
          tracks as (delete from annotation_track where ${inJob(tracks)} returning id)
        delete from annotation_tracked_shape where job_id = ${jobId}
          and track_id in (select id from elements union all select id from tracks)`);
    }
  }

  private async reserve(tx: Tx, kind: Kind, wanted: number): Promise<number> {
    const table = raw(TABLES[kind]);
    const sequence = `${TABLES[kind]}_id_seq`;
    for (let size = wanted; ; size *= 4) {
      const [block] = await tx.query<{ first: number; taken: number | null }>(sql`
        with block as materialized (select reserve_ids(${sequence}::regclass, ${size}) as first)
        select first, (select max(id) from ${table} where id between first and first + ${size}::bigint - 1) as taken from block`);
      const { first, taken } = block ?? { first: 0, taken: null };
      const free = taken === null ? first : taken + 1;
      if (first + size - free >= wanted) return free;
    }
  }

  private async copy<Row>(tx: Tx, kind: Kind, rows: readonly Row[], line: (row: Row) => string): Promise<void> {
    if (rows.length === 0) return;
    try {
      await copyIn(tx.client, TABLES[kind], COLUMNS[kind], copyChunks(rows, line));
    } catch (error) {
      if (!isUniqueViolation(error, `pk_${TABLES[kind]}`)) throw error;
      const { detail = '' } = error as { detail?: string };
      throw new InvalidString(
        `duplicate key value violates unique constraint "${KEY_NAMES[kind]}"\nDETAIL:  ${detail}\n`,
      );
    }
  }
}
