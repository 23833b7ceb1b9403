import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { join, raw, type Sql, sql } from '../../../engines/sql/sql.js';
import { basicUserColumns } from '../../users/index.js';
import type { Target } from '../annotated-task.repository.js';
import { type Kind, REMOVED, TABLES } from '../annotation-tables.js';
import type { RevisionCounts } from './revision.dto.js';
import type { RevisionRow } from './revision.mapper.js';
import type { ObjectKind, Saving, TouchedObject } from './saving.js';

const KIND_OF: Readonly<Record<ObjectKind, Kind>> = {
  tags: 'tag',
  shapes: 'shape',
  tracks: 'track',
  intervals: 'interval',
};
const OBJECT_KINDS = Object.keys(KIND_OF) as readonly ObjectKind[];

/** The number of objects of one kind in one job. */
export interface CountRow {
  readonly job_id: number;
  readonly kind: ObjectKind;
  readonly removed: number;
  /** Of them those that are there again. */
  readonly updated: number;
}

export interface WrittenRow {
  readonly job_id: number;
  readonly kind: ObjectKind;
  readonly written: number;
}

export interface NewRevision {
  readonly saving: Saving;
  readonly authorId: number | null;
  readonly restored: Restored | null;
  readonly counts: ReadonlyMap<number, RevisionCounts>;
  readonly now: Date;
}

/** Which state a restoration brought back. */
export interface Restored {
  readonly revision: number;
  readonly state: 'before' | 'after';
}

export const REVISION_FROM = sql`annotation_revision revision left join app_user author on author.id = revision.author_id`;

/** @param parts condition for the parts that count: those of one job, or all */
export const revisionColumns = (parts: Sql): Sql => sql`revision.id, revision.task_id, revision.action,
  revision.restored_id, revision.restored_state, revision.created_date, ${basicUserColumns('author', 'author')},
  (select project_id from task where task.id = revision.task_id) as project_id,
  (select coalesce(json_agg(json_build_object('job_id', part.job_id, 'counts', part.counts) order by part.job_id), '[]')
   from annotation_revision_part part where part.revision_id = revision.id and ${parts}) as parts`;

/** Saves of annotations, as rows. */
@Injectable()
export class RevisionRepository {
  /** The number of the next save. To be called when the jobs are locked, so that numbers grow in the order of saves. */
  async reserve(tx: Tx): Promise<number> {
    const [row] = await tx.query<{ id: number }>(sql`select nextval('annotation_revision_id_seq') as id`);
    return row?.id ?? 0;
  }

  async insert(tx: Tx, { saving, authorId, restored, counts, now }: NewRevision): Promise<void> {
    const jobs = [...counts.keys()];
    await tx.query(sql`
      with revision as (
        insert into annotation_revision (id, task_id, author_id, action, restored_id, restored_state, created_date)
        values (${saving.revision}, ${saving.task.id}, (select id from app_user where id = ${authorId}), ${saving.action},
          ${restored?.revision ?? null}, ${restored?.state ?? null}, ${now})),
      parts as (
        insert into annotation_revision_part (job_id, revision_id, counts)
        select job_id, ${saving.revision}::bigint, counts
        from unnest(${jobs}::int[], ${[...counts.values()].map((each) => JSON.stringify(each))}::json[]) as part(job_id, counts))
      insert into annotation_head (job_id, revision_id)
      select job_id, ${saving.revision}::bigint from unnest(${jobs}::int[]) as head(job_id)
      on conflict (job_id) do update set revision_id = excluded.revision_id`);
  }

  /** How many objects a save removed from each job, and how many of them it wrote again. */
  removed(tx: Tx, { revision, changedJobs }: Saving): Promise<CountRow[]> {
    const jobs = [...changedJobs];
    const parts = OBJECT_KINDS.map((kind) => {
      const [table, removed] = tablesOf(kind);
      return sql`select gone.job_id, ${kind}::text as kind, count(*)::int as removed, count(present.id)::int as updated
        from ${removed} gone left join ${table} present on present.id = gone.id
          and present.job_id = gone.job_id and present.revision_id = ${revision}::bigint
        where gone.job_id = any(${jobs}::int[]) and gone.removed_id = ${revision}::bigint ${wholeOnly(kind, 'gone')}
        group by gone.job_id`;
    });
    return tx.query<CountRow>(join(parts, ' union all '));
  }

  /** How many objects a save wrote to each job. */
  written(tx: Tx, { revision, changedJobs }: Saving): Promise<WrittenRow[]> {
    const parts = OBJECT_KINDS.map((kind) => {
      const [table] = tablesOf(kind);
      return sql`select job_id, ${kind}::text as kind, count(*)::int as written from ${table} present
        where job_id = any(${[...changedJobs]}::int[]) and revision_id = ${revision}::bigint ${wholeOnly(kind, 'present')}
        group by job_id`;
    });
    return tx.query<WrittenRow>(join(parts, ' union all '));
  }

  /** Objects that a save removed, or wrote. The caller knows that they are few. */
  objects(tx: Tx, { revision, changedJobs }: Saving, which: 'removed' | 'written'): Promise<TouchedObject[]> {
    const parts = OBJECT_KINDS.map((kind) => {
      const [table, removed] = tablesOf(kind);
      const frame = raw(kind === 'intervals' ? 'start' : 'frame');
      const [from, column] = which === 'removed' ? [removed, raw('removed_id')] : [table, raw('revision_id')];
      return sql`select job_id, ${kind}::text as kind, id, ${frame} as frame from ${from} object
        where job_id = any(${[...changedJobs]}::int[]) and ${column} = ${revision}::bigint ${wholeOnly(kind, 'object')}`;
    });
    return tx.query<TouchedObject>(sql`${join(parts, ' union all ')} order by kind, frame, id`);
  }

  /** A save as one of a job or task; undefined when it is not, or is forgotten. */
  async find(db: Queryable, target: Target, id: number): Promise<RevisionRow | undefined> {
    const [row] = await db.query<RevisionRow>(sql`
      select ${revisionColumns(partsOf(target))} from ${REVISION_FROM}
      where revision.id = ${id} and ${revisionsOf(target)}`);
    return row;
  }
}

/** The objects of a kind without the parts of others. */
const wholeOnly = (kind: ObjectKind, alias: string): Sql =>
  raw(kind === 'shapes' || kind === 'tracks' ? `and ${alias}.parent_id is null` : '');

const tablesOf = (kind: ObjectKind): [present: Sql, removed: Sql] => [
  raw(TABLES[KIND_OF[kind]]),
  raw(REMOVED[KIND_OF[kind]]),
];

/** Which saves belong to a job or task. */
export const revisionsOf = ({ kind, id }: Target): Sql =>
  kind === 'task'
    ? sql`revision.task_id = ${id}`
    : sql`exists (select from annotation_revision_part part where part.revision_id = revision.id and part.job_id = ${id})`;

/** Which parts of them. */
export const partsOf = ({ kind, id }: Target): Sql => (kind === 'task' ? sql`true` : sql`part.job_id = ${id}`);
