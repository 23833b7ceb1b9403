import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import { reserveIds, type Tx } from '../../../core/database/tx.js';
import { choice, integer, type ListSpec, text, timestamp } from '../../../core/list/list-spec.js';
import { join, raw, type Sql, sql } from '../../../engines/sql/sql.js';
import { basicUserColumns } from '../../users/index.js';
import type { AnnotatedTask, Target } from '../annotated-task.repository.js';
import { type Kind, REMOVED, TABLES } from '../annotation-tables.js';
import type { RevisionCounts, RevisionRow } from './revision.dto.js';
import {
  type ObjectKind,
  PendingRevision,
  REVISION_ACTIONS,
  type RevisionAction,
  type TouchedObject,
} from './pending-revision.js';

const KIND_OF: Readonly<Record<ObjectKind, Kind>> = {
  tags: 'tag',
  shapes: 'shape',
  tracks: 'track',
  intervals: 'interval',
};
const OBJECT_KINDS = Object.keys(KIND_OF) as readonly ObjectKind[];

/** The number of objects of one type that saves removed from one job. */
export interface CountRow {
  readonly job_id: number;
  readonly kind: ObjectKind;
  readonly removed: number;
  /** The number of removed objects that the same save wrote again: these were updated. */
  readonly updated: number;
}

export interface WrittenRow {
  readonly job_id: number;
  readonly kind: ObjectKind;
  readonly written: number;
}

export interface NewRevisions {
  readonly savings: readonly PendingRevision[];
  readonly authorId: number | null;
  readonly restored: Restored | null;
  /** By the jobs that the save changed. */
  readonly counts: ReadonlyMap<number, RevisionCounts>;
  readonly now: Date;
}

/** The state to restore: that before or after a revision. */
export interface Restored {
  readonly revision: number;
  readonly state: 'before' | 'after';
}

export const REVISION_FROM = sql`annotation_revision revision left join app_user author on author.id = revision.author_id`;

/** @param parts condition for the parts to count: those of one job, or all */
export const revisionColumns = (parts: Sql): Sql => sql`revision.id, revision.task_id, revision.action,
  revision.restored_id, revision.restored_state, revision.created_date, ${basicUserColumns('author', 'author')},
  (select project_id from task where task.id = revision.task_id) as project_id,
  (select coalesce(json_agg(json_build_object('job_id', part.job_id, 'counts', part.counts) order by part.job_id), '[]')
   from annotation_revision_part part where part.revision_id = revision.id and ${parts}) as parts`;

/** Saves of annotations, as rows. */
@Injectable()
export class RevisionRepository {
  /** Starts the next save. Call it when the jobs are locked, so that ids ascend in the order of saves. */
  async begin(tx: Tx, action: RevisionAction, task: AnnotatedTask): Promise<PendingRevision> {
    const [id = 0] = await reserveIds(tx, 'annotation_revision', 1);
    return new PendingRevision(id, action, task);
  }

  /** Starts one save for each of several tasks. */
  async beginAll(tx: Tx, action: RevisionAction, tasks: readonly AnnotatedTask[]): Promise<PendingRevision[]> {
    const ids = await reserveIds(tx, 'annotation_revision', tasks.length);
    return tasks.map((task, index) => new PendingRevision(ids[index] ?? 0, action, task));
  }

  /** Takes no round trip. */
  insert(tx: Tx, { savings, authorId, restored, counts, now }: NewRevisions): void {
    const changed = savings.map(({ revision, task, action }) => ({ id: revision, task_id: task.id, action }));
    const parts = pairsOf(savings).map((pair) => ({ ...pair, counts: counts.get(pair.job_id) }));
    const annotated = savings.flatMap(({ action, changedJobs }) => (action === 'labels' ? [] : [...changedJobs]));
    tx.write(sql`
      with revision as (
        insert into annotation_revision (id, task_id, author_id, action, restored_id, restored_state, created_date)
        select id, task_id, (select id from app_user where id = ${authorId}), action,
          ${restored?.revision ?? null}::bigint, ${restored?.state ?? null}::text, ${now}::timestamptz
        from json_to_recordset(${JSON.stringify(changed)}::json) as saving(id bigint, task_id int, action text)),
      part as materialized (
        select * from json_to_recordset(${JSON.stringify(parts)}::json) as part(job_id int, revision_id bigint, counts json)),
      parts as (
        insert into annotation_revision_part (job_id, revision_id, counts) select job_id, revision_id, counts from part),
      authors as (
        insert into annotation_author as known (job_id, author_id, stage, saves)
        select job.id, app_user.id, job.stage, 1 from job join app_user on app_user.id = ${authorId}
        where job.id = any(${annotated}::int[])
        on conflict (job_id, author_id, stage) do update set saves = known.saves + 1)
      update annotation_head head set revision_id = part.revision_id from part where head.job_id = part.job_id`);
  }

  /**
   * The number of objects that the saves removed from each job, and how many of these they wrote again. `offset 0` makes
   * the planner look up the latter by id. Without it, outdated statistics (of an empty job) make it scan the entire job for
   * each of them.
   */
  removed(tx: Tx, savings: readonly PendingRevision[]): Promise<CountRow[]> {
    const parts = OBJECT_KINDS.map((kind) => {
      const [table, removed] = tablesOf(kind);
      return sql`select gone.job_id, ${kind}::text as kind, count(*)::int as removed, count(present.id)::int as updated
        from ${savedIn(savings)} join ${removed} gone on gone.job_id = saved.job_id and gone.removed_id = saved.revision_id
          ${wholeOnly(kind, 'gone')}
        left join lateral (select id, job_id, revision_id from ${table} where id = gone.id offset 0) present
          on present.job_id = gone.job_id and present.revision_id = gone.removed_id
        group by gone.job_id`;
    });
    return tx.query<CountRow>(join(parts, ' union all '));
  }

  /** The number of objects that saves wrote to each job. */
  written(tx: Tx, savings: readonly PendingRevision[]): Promise<WrittenRow[]> {
    const parts = OBJECT_KINDS.map((kind) => {
      const [table] = tablesOf(kind);
      return sql`select present.job_id, ${kind}::text as kind, count(*)::int as written
        from ${savedIn(savings)} join ${table} present
          on present.job_id = saved.job_id and present.revision_id = saved.revision_id ${wholeOnly(kind, 'present')}
        group by present.job_id`;
    });
    return tx.query<WrittenRow>(join(parts, ' union all '));
  }

  /** The objects that saves removed or wrote. The caller ensures that there are few. */
  objects(tx: Tx, savings: readonly PendingRevision[], which: 'removed' | 'written'): Promise<TouchedObject[]> {
    const parts = OBJECT_KINDS.map((kind) => {
      const [table, removed] = tablesOf(kind);
      const frame = raw(kind === 'intervals' ? 'start' : 'frame');
      const [from, column] = which === 'removed' ? [removed, raw('removed_id')] : [table, raw('revision_id')];
      return sql`select object.job_id, ${kind}::text as kind, object.id, object.${frame} as frame
        from ${savedIn(savings)} join ${from} object
          on object.job_id = saved.job_id and object.${column} = saved.revision_id ${wholeOnly(kind, 'object')}`;
    });
    return tx.query<TouchedObject>(sql`${join(parts, ' union all ')} order by kind, frame, id`);
  }

  /** A save of a job or task; undefined if it does not belong to it or has been deleted. */
  async find(db: Queryable, target: Target, id: number): Promise<RevisionRow | undefined> {
    const [row] = await db.query<RevisionRow>(sql`
      select ${revisionColumns(partsOf(target))} from ${REVISION_FROM}
      where revision.id = ${id} and ${revisionsOf(target)}`);
    return row;
  }
}

/** Jobs with the saves that changed them. */
const pairsOf = (savings: readonly PendingRevision[]): { job_id: number; revision_id: number }[] =>
  savings.flatMap(({ revision, changedJobs }) =>
    [...changedJobs].map((job) => ({ job_id: job, revision_id: revision })),
  );

/** The pairs of `pairsOf` as a FROM item: `saved(job_id, revision_id)`. */
const savedIn = (savings: readonly PendingRevision[]): Sql => {
  const pairs = pairsOf(savings);
  const [jobs, revisions] = [pairs.map((pair) => pair.job_id), pairs.map((pair) => pair.revision_id)];
  return sql`unnest(${jobs}::int[], ${revisions}::bigint[]) as saved(job_id, revision_id)`;
};

/** Excludes the elements of skeletons. */
const wholeOnly = (kind: ObjectKind, alias: string): Sql =>
  raw(kind === 'shapes' || kind === 'tracks' ? `and ${alias}.parent_id is null` : '');

const tablesOf = (kind: ObjectKind): [present: Sql, removed: Sql] => [
  raw(TABLES[KIND_OF[kind]]),
  raw(REMOVED[KIND_OF[kind]]),
];

/** Condition for the saves of a job or task. */
export const revisionsOf = ({ kind, id }: Target): Sql =>
  kind === 'task'
    ? sql`revision.task_id = ${id}`
    : sql`exists (select from annotation_revision_part part where part.revision_id = revision.id and part.job_id = ${id})`;

/** Condition for the parts of a save that belong to the job or task. */
export const partsOf = ({ kind, id }: Target): Sql => (kind === 'task' ? sql`true` : sql`part.job_id = ${id}`);

export const revisionList: ListSpec = {
  from: REVISION_FROM,
  fields: {
    id: integer('revision.id'),
    action: choice('revision.action', REVISION_ACTIONS),
    author: text('author.username'),
    created_date: timestamp('revision.created_date'),
  },
  search: ['author'],
  simple: ['action', 'author'],
  defaultSort: '-id',
};
