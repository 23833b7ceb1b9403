import { Injectable } from '@nestjs/common';
import { isUniqueViolation } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { InvalidString } from '../../core/http/errors/errors.js';
import { COLUMNS, copyChunks, copyLine } from '../../engines/annotations/copy-text.js';
import { countMissingIds, type IdsByKind } from '../../engines/annotations/prepare-write.js';
import type { LabeledData } from '../../shared/annotations/model.js';
import type { RowsByKind } from '../../engines/annotations/rows.js';
import { join, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { KEY_NAMES, type Kind, KINDS, REMOVED, TABLES } from './annotation-tables.js';

/** Ids of top-level objects of one job. Their elements and keyframes are included. */
export interface ObjectIds {
  readonly jobId: number;
  readonly tags: readonly number[];
  readonly shapes: readonly number[];
  readonly tracks: readonly number[];
  readonly intervals: readonly number[];
}

/** Rows to remove. */
interface Removal {
  readonly kind: Kind;
  readonly where: Sql;
}

const inJobs = (jobIds: Iterable<number>): Sql => sql`job_id = any(${[...jobIds]}::int[])`;

const arrayText = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;

/** Ids of objects. An id matches only in the job for which it was sent. */
class NamedIds {
  readonly isEmpty: boolean;
  /** Condition for the rows of these jobs. */
  readonly inJobs: Sql;
  /** Arrays as text, because the driver would serialize half a million numbers again for every use in the statement. */
  private readonly jobIds: string;
  private readonly ids: string;

  constructor(parts: readonly ObjectIds[], idsOf: (part: ObjectIds) => readonly number[]) {
    const named = parts.filter((part) => idsOf(part).length > 0);
    this.jobIds = arrayText(named.flatMap((part) => Array<number>(idsOf(part).length).fill(part.jobId)));
    this.ids = arrayText(named.flatMap((part) => idsOf(part)));
    this.isEmpty = named.length === 0;
    this.inJobs = inJobs(named.map((part) => part.jobId));
  }

  /** Condition for rows whose column contains an id that was sent for their job. The first part can use the index. */
  match(column: 'id' | 'parent_id'): Sql {
    const name = raw(column);
    return sql`(${this.inJobs} and ${name} = any(${this.ids}::bigint[])
      and (job_id, ${name}) in (select * from unnest(${this.jobIds}::int[], ${this.ids}::bigint[])))`;
  }
}

/** Removes tracks and their keyframes. Keyframes come first, because they are found through their tracks. */
const removalOfTracks = (jobs: Sql, tracks: Sql): Removal[] => [
  { kind: 'trackedShape', where: sql`${jobs} and track_id in (select id from annotation_track where ${tracks})` },
  { kind: 'track', where: tracks },
];

/** Writes annotations. The caller has locked the jobs. Removed rows are moved to the history. */
@Injectable()
export class AnnotationRepository {
  /**
   * Reserves a block of free ids for each type, long enough for all parts. Clients can choose ids in updates, so some ids
   * of a block may be taken. Then it reserves a longer block and uses the free ids at its end.
   * @returns the first id of each block
   */
  async reserveIds(tx: Tx, parts: readonly LabeledData[]): Promise<IdsByKind> {
    const wanted = countMissingIds(...parts);
    const first = { ...wanted };
    for (const kind of KINDS) {
      if (wanted[kind] > 0) first[kind] = await this.reserve(tx, kind, wanted[kind]);
    }
    return first;
  }

  /**
   * @param parts the rows of each job
   * @param revision the save that writes the rows
   * @throws InvalidString if an id is taken
   */
  async insert(tx: Tx, parts: readonly RowsByKind[], revision: number): Promise<void> {
    const write = <Row>(
      kind: Kind,
      rowsOf: (part: RowsByKind) => Iterable<Row>,
      line: (row: Row) => string,
    ): Promise<void> => this.copy(tx, kind, parts.map(rowsOf), line, revision);
    await write('tag', ({ tags }) => tags, copyLine.tag);
    await write('shape', ({ shapes }) => shapes, copyLine.shape);
    await write('track', ({ tracks }) => tracks, copyLine.track);
    await write('trackedShape', ({ trackedShapes }) => trackedShapes, copyLine.trackedShape);
    await write('interval', ({ intervals }) => intervals, copyLine.interval);
  }

  /** The group numbers used in these jobs. */
  async groups(tx: Tx, jobIds: readonly number[]): Promise<number[]> {
    const tables = [TABLES.tag, TABLES.shape, TABLES.track, TABLES.interval];
    const queries = tables.map(
      (table) => sql`select group_id from ${raw(table)} where ${inJobs(jobIds)} and group_id > 0`,
    );
    const rows = await tx.query<{ group_id: number }>(join(queries, ' union '));
    return rows.map(({ group_id: group }) => group);
  }

  /** @returns the jobs that had annotations */
  deleteAll(tx: Tx, jobIds: readonly number[], revision: number): Promise<number[]> {
    const where = inJobs(jobIds);
    return this.remove(
      tx,
      KINDS.map((kind) => ({ kind, where })),
      revision,
    );
  }

  /**
   * Deletes what no save after a point in time has written.
   * @param since as the API formats dates
   * @returns the jobs that had such annotations
   */
  deleteOlder(
    tx: Tx,
    { taskId, jobIds, since }: { readonly taskId: number; readonly jobIds: readonly number[]; readonly since: string },
    revision: number,
  ): Promise<number[]> {
    const where = sql`${inJobs(jobIds)} and revision_id not in (
      select id from annotation_revision where task_id = ${taskId} and created_date > ${since}::timestamptz)`;
    return this.remove(
      tx,
      KINDS.map((kind) => ({ kind, where })),
      revision,
    );
  }

  /** Deletes the tags and shapes on these frames. @returns the jobs that had any */
  deleteOnFrames(tx: Tx, jobIds: readonly number[], frames: readonly number[], revision: number): Promise<number[]> {
    const where = sql`${inJobs(jobIds)} and frame = any(${[...frames]}::int[])`;
    return this.remove(
      tx,
      [
        { kind: 'tag', where },
        { kind: 'shape', where },
      ],
      revision,
    );
  }

  /** Deletes objects with their elements and tracked shapes. Ids that a job does not have are ignored. */
  async delete(tx: Tx, parts: readonly ObjectIds[], revision: number): Promise<void> {
    const [tags, intervals, shapes, tracks] = [
      new NamedIds(parts, (part) => part.tags),
      new NamedIds(parts, (part) => part.intervals),
      new NamedIds(parts, (part) => part.shapes),
      new NamedIds(parts, (part) => part.tracks),
    ];
    const removals: Removal[] = [];
    if (!tags.isEmpty) removals.push({ kind: 'tag', where: tags.match('id') });
    if (!intervals.isEmpty) removals.push({ kind: 'interval', where: intervals.match('id') });
    if (!shapes.isEmpty) {
      removals.push({ kind: 'shape', where: shapes.match('id') });
      removals.push({ kind: 'shape', where: sql`${shapes.match('parent_id')} and not (${shapes.match('id')})` });
    }
    if (!tracks.isEmpty)
      removals.push(...removalOfTracks(tracks.inJobs, sql`(${tracks.match('id')} or ${tracks.match('parent_id')})`));
    await this.remove(tx, removals, revision);
  }

  /**
   * Deletes annotations with these labels.
   * @param revisions the save that deletes them, by job
   * @returns the jobs that had such annotations
   */
  deleteOfLabels(tx: Tx, revisions: ReadonlyMap<number, number>, labelIds: readonly number[]): Promise<number[]> {
    const jobs = inJobs(revisions.keys());
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
      revisions,
    );
  }

  /** Deletes rows written after a save. @returns the jobs that had such annotations */
  deleteAfter(tx: Tx, jobIds: readonly number[], moment: number, revision: number): Promise<number[]> {
    const where = sql`${inJobs(jobIds)} and revision_id > ${moment}::bigint`;
    return this.remove(
      tx,
      KINDS.map((kind) => ({ kind, where })),
      revision,
    );
  }

  /**
   * Restores, with their ids, the rows that existed after a save and were removed later. Skips rows whose label no longer
   * exists.
   * @throws InvalidString if an id has been taken
   */
  async restore(
    tx: Tx,
    jobIds: readonly number[],
    labelIds: readonly number[],
    moment: number,
    revision: number,
  ): Promise<void> {
    const jobs = inJobs(jobIds);
    for (const kind of KINDS) {
      const columns = raw(COLUMNS[kind].join(', '));
      const usable =
        kind === 'trackedShape'
          ? sql`track_id in (select id from annotation_track where ${jobs})`
          : sql`label_id = any(${[...labelIds]}::int[])`;
      await this.translatingTakenIds(kind, () =>
        tx.query(sql`
          insert into ${raw(TABLES[kind])} (${columns}, revision_id)
          select ${columns}, ${revision}::bigint from ${raw(REMOVED[kind])}
          where ${jobs} and revision_id <= ${moment}::bigint and removed_id > ${moment}::bigint and ${usable}`),
      );
    }
  }

  /**
   * Moves rows to the history in one statement. Removals of the same type must not overlap.
   * @param by the id of the save that removes the rows, for all jobs or by job
   * @returns the jobs that had such rows
   */
  private async remove(
    tx: Tx,
    removals: readonly Removal[],
    by: number | ReadonlyMap<number, number>,
  ): Promise<number[]> {
    if (removals.length === 0) return [];
    const [removedId, saves] =
      typeof by === 'number'
        ? [sql`${by}::bigint`, raw('')]
        : [
            raw('save_id'),
            sql`join unnest(${[...by.keys()]}::int[], ${[...by.values()]}::bigint[]) as save(save_job, save_id) on save_job = job_id`,
          ];
    const steps = removals.map(({ kind, where }, index) => {
      const [table, removed, columns] = [TABLES[kind], REMOVED[kind], COLUMNS[kind].join(', ')].map(raw);
      const [kept, gone] = [`kept_${index}`, `gone_${index}`].map(raw);
      return sql`${kept} as (
          insert into ${removed} (${columns}, revision_id, removed_id)
          select ${columns}, revision_id, ${removedId} from ${table} ${saves} where ${where}),
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
    parts: readonly Iterable<Row>[],
    line: (row: Row) => string,
    revision: number,
  ): Promise<void> {
    if (parts.every(isEmpty)) return;
    const columns = [...COLUMNS[kind], 'revision_id'];
    const chunks = copyChunks(rowsIn(parts), line, revision);
    await this.translatingTakenIds(kind, () => tx.copyIn(TABLES[kind], columns, chunks));
  }

  private async translatingTakenIds(kind: Kind, write: () => Promise<unknown>): Promise<void> {
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

function isEmpty(rows: Iterable<unknown>): boolean {
  for (const _ of rows) return false;
  return true;
}

function* rowsIn<Row>(parts: readonly Iterable<Row>[]): Generator<Row> {
  for (const rows of parts) yield* rows;
}
