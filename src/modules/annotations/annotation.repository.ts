import { Injectable } from '@nestjs/common';
import { copyIn } from '../../core/database/copy.js';
import type { Tx } from '../../core/database/tx.js';
import { isUniqueViolation } from '../../core/database/unique-violation.js';
import { InvalidString } from '../../core/http/errors.js';
import { COLUMNS, copyChunks, copyLine } from '../../engines/annotations/copy-text.js';
import { countMissingIds, type IdsByKind } from '../../engines/annotations/ids.js';
import type { LabeledData } from '../../engines/annotations/model.js';
import type { AnnotationRows } from '../../engines/annotations/rows.js';
import { join, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { type Kind, KEY_NAMES, KINDS, REMOVED, TABLES } from './annotation-tables.js';

/** Ids of whole objects; what belongs to them goes with them. */
export interface ObjectIds {
  readonly tags: readonly number[];
  readonly shapes: readonly number[];
  readonly tracks: readonly number[];
  readonly intervals: readonly number[];
}

/** Rows that are to go. */
interface Removal {
  readonly kind: Kind;
  readonly where: Sql;
}

/** Tracks with their keyframes, which are found while the tracks are still there. */
const removalOfTracks = (jobs: Sql, tracks: Sql): Removal[] => [
  { kind: 'trackedShape', where: sql`${jobs} and track_id in (select id from annotation_track where ${tracks})` },
  { kind: 'track', where: tracks },
];

/** Writing annotations. The caller has locked the jobs. Nothing is destroyed here: what goes is kept for the history. */
@Injectable()
export class AnnotationRepository {
  /**
   * The first of a block of free ids for each kind, as long as `data` needs. Updates may bring ids of their own, so a
   * block may turn out to be taken in part; then a longer one is reserved and its free end used.
   */
  async reserveIds(tx: Tx, data: LabeledData): Promise<IdsByKind> {
    const wanted = countMissingIds(data);
    const first = { ...wanted };
    for (const kind of KINDS) {
      if (wanted[kind] > 0) first[kind] = await this.reserve(tx, kind, wanted[kind]);
    }
    return first;
  }

  /**
   * @param revision the save that writes the rows
   * @throws InvalidString when an id is taken
   */
  async insert(tx: Tx, rows: AnnotationRows, revision: number): Promise<void> {
    await this.copy(tx, 'tag', rows.tags, copyLine.tag, revision);
    await this.copy(tx, 'shape', rows.shapes, copyLine.shape, revision);
    await this.copy(tx, 'track', rows.tracks, copyLine.track, revision);
    await this.copy(tx, 'trackedShape', rows.trackedShapes, copyLine.trackedShape, revision);
    await this.copy(tx, 'interval', rows.intervals, copyLine.interval, revision);
  }

  /** @returns the jobs among these that had annotations */
  deleteAll(tx: Tx, jobIds: readonly number[], revision: number): Promise<number[]> {
    const where = sql`job_id = any(${[...jobIds]}::int[])`;
    return this.remove(
      tx,
      KINDS.map((kind) => ({ kind, where })),
      revision,
    );
  }

  /** Deletes the tags and shapes on these frames. @returns the jobs among these that had some */
  deleteOnFrames(tx: Tx, jobIds: readonly number[], frames: readonly number[], revision: number): Promise<number[]> {
    const where = sql`job_id = any(${[...jobIds]}::int[]) and frame = any(${[...frames]}::int[])`;
    return this.remove(
      tx,
      [
        { kind: 'tag', where },
        { kind: 'shape', where },
      ],
      revision,
    );
  }

  /** Deletes objects of one job with their elements and tracked shapes; ids of other jobs and unknown ones do nothing. */
  async delete(tx: Tx, jobId: number, ids: ObjectIds, revision: number): Promise<void> {
    const named = (list: readonly number[]): Sql => sql`job_id = ${jobId} and id = any(${[...list]}::bigint[])`;
    const under = (list: readonly number[]): Sql => sql`job_id = ${jobId} and parent_id = any(${[...list]}::bigint[])`;
    const other = (list: readonly number[]): Sql =>
      sql`not exists (select from unnest(${[...list]}::bigint[]) as named(named_id) where named_id = id)`;
    const tracks = sql`job_id = ${jobId} and (id = any(${[...ids.tracks]}::bigint[]) or parent_id = any(${[...ids.tracks]}::bigint[]))`;
    await this.remove(
      tx,
      [
        ...(ids.tags.length === 0 ? [] : [{ kind: 'tag', where: named(ids.tags) } as const]),
        ...(ids.intervals.length === 0 ? [] : [{ kind: 'interval', where: named(ids.intervals) } as const]),
        ...(ids.shapes.length === 0
          ? []
          : [
              { kind: 'shape', where: named(ids.shapes) } as const,
              { kind: 'shape', where: sql`${under(ids.shapes)} and ${other(ids.shapes)}` } as const,
            ]),
        ...(ids.tracks.length === 0 ? [] : removalOfTracks(sql`job_id = ${jobId}`, tracks)),
      ],
      revision,
    );
  }

  /** Deletes what has these labels. @returns the jobs among these that had such annotations */
  deleteOfLabels(tx: Tx, jobIds: readonly number[], labelIds: readonly number[], revision: number): Promise<number[]> {
    const jobs = sql`job_id = any(${[...jobIds]}::int[])`;
    const labeled = sql`${jobs} and label_id = any(${[...labelIds]}::int[])`;
    const withElements = (kind: 'shape' | 'track'): Sql => sql`${jobs} and (label_id = any(${[...labelIds]}::int[])
      or parent_id in (select id from ${raw(TABLES[kind])} where ${labeled}))`;
    return this.remove(
      tx,
      [
        { kind: 'tag', where: labeled },
        { kind: 'interval', where: labeled },
        { kind: 'shape', where: withElements('shape') },
        ...removalOfTracks(jobs, withElements('track')),
      ],
      revision,
    );
  }

  /** What was written after a moment. @returns the jobs among these that had something of it */
  deleteAfter(tx: Tx, jobIds: readonly number[], moment: number, revision: number): Promise<number[]> {
    const where = sql`job_id = any(${[...jobIds]}::int[]) and revision_id > ${moment}::bigint`;
    return this.remove(
      tx,
      KINDS.map((kind) => ({ kind, where })),
      revision,
    );
  }

  /**
   * Brings back what was there at a moment and has been removed since, with its ids, except what had labels that the
   * task has no more.
   * @throws InvalidString when an id is taken meanwhile
   */
  async bringBack(
    tx: Tx,
    jobIds: readonly number[],
    labelIds: readonly number[],
    moment: number,
    revision: number,
  ): Promise<void> {
    const jobs = sql`job_id = any(${[...jobIds]}::int[])`;
    for (const kind of KINDS) {
      const columns = raw(COLUMNS[kind].join(', '));
      const usable =
        kind === 'trackedShape'
          ? sql`track_id in (select id from annotation_track where ${jobs})`
          : sql`label_id = any(${[...labelIds]}::int[])`;
      await this.refusingTakenIds(kind, () =>
        tx.query(sql`
          insert into ${raw(TABLES[kind])} (${columns}, revision_id)
          select ${columns}, ${revision}::bigint from ${raw(REMOVED[kind])}
          where ${jobs} and revision_id <= ${moment}::bigint and removed_id > ${moment}::bigint and ${usable}`),
      );
    }
  }

  /**
   * Rows go to the history, in one statement. Conditions of one kind must not overlap.
   * @returns the jobs that had such rows
   */
  private async remove(tx: Tx, removals: readonly Removal[], revision: number): Promise<number[]> {
    if (removals.length === 0) return [];
    const steps = removals.map(({ kind, where }, index) => {
      const [table, removed, columns] = [TABLES[kind], REMOVED[kind], COLUMNS[kind].join(', ')].map(raw);
      const [kept, gone] = [`kept_${index}`, `gone_${index}`].map(raw);
      return sql`${kept} as (
          insert into ${removed} (${columns}, revision_id, removed_id)
          select ${columns}, revision_id, ${revision}::bigint from ${table} where ${where}),
        ${gone} as (delete from ${table} where ${where} returning job_id)`;
    });
    const jobs = removals.map((_, index) => raw(`select job_id from gone_${index}`));
    const rows = await tx.query<{ job_id: number }>(sql`with ${join(steps, ', ')} ${join(jobs, ' union ')}`);
    return rows.map((row) => row.job_id);
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

  private async copy<Row>(
    tx: Tx,
    kind: Kind,
    rows: readonly Row[],
    line: (row: Row) => string,
    revision: number,
  ): Promise<void> {
    if (rows.length === 0) return;
    const columns = [...COLUMNS[kind], 'revision_id'];
    await this.refusingTakenIds(kind, () => copyIn(tx.client, TABLES[kind], columns, copyChunks(rows, line, revision)));
  }

  private async refusingTakenIds(kind: Kind, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!isUniqueViolation(error, `pk_${TABLES[kind]}`)) throw error;
      const { detail = '' } = error as { detail?: string };
      throw new InvalidString(
        `duplicate key value violates unique constraint "${KEY_NAMES[kind]}"\nDETAIL:  ${detail}\n`,
      );
    }
  }
}
