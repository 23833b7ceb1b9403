import { Injectable } from '@nestjs/common';
import {
  organizationFacts,
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from '../../core/access/organization-context.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { from, leftJoin, table, type Tables } from '../../engines/sql/tables.js';
import type { TaskFacts } from '../../shared/policy/task.policy.js';
import { storageColumns } from '../storages/index.js';
import { basicUserColumns } from '../users/index.js';
import type { TaskRow } from './task.dto.js';

/** `task` with the tables that its fields come from. */
export const TASK_TABLES: Tables = {
  table: table('task'),
  joins: [
    leftJoin(table('project'), 'task.project_id'),
    leftJoin(table('app_user', 'owner'), 'task.owner_id'),
    leftJoin(table('app_user', 'assignee'), 'task.assignee_id'),
    leftJoin(table('media_data'), 'task.data_id'),
  ],
};

export const TASK_FROM = from(TASK_TABLES);

export const TASK_COLUMNS = sql`task.id, task.name, task.project_id, task.mode, task.bug_tracker, task.created_date,
  task.updated_date, task.overlap, task.segment_size, task.status, task.dimension, task.subset, task.consensus_replicas,
  task.organization_id, task.assignee_updated_date, task.data_id,
  ${storageColumns('task')},
  media_data.chunk_size, media_data.compressed_chunk_type, media_data.original_chunk_type, media_data.size,
  media_data.image_quality, media_data.validation_mode,
  ${basicUserColumns('owner', 'owner')}, ${basicUserColumns('assignee', 'assignee')},
  (select guide.id from guide where guide.task_id = task.id) as guide_id,
  (select json_build_object('count', count(*),
      'completed', count(*) filter (where job.stage = 'acceptance' and job.state = 'completed'),
      'validation', count(*) filter (where job.stage = 'validation'))
   from job where job.task_id = task.id) as jobs`;

/** The facts that the policy needs about a task, read by the statement that reads the task or something in it. */
export interface TaskFactsRow extends OrganizationFactsRow {
  readonly fact_task_owner_id: number | null;
  readonly fact_task_assignee_id: number | null;
  readonly fact_project_id: number | null;
  readonly fact_project_owner_id: number | null;
  readonly fact_project_assignee_id: number | null;
}

/** Needs `task`, its `project` and the tables of `taskFactsJoin` in the `from` clause. */
export const TASK_FACTS_COLUMNS = sql`task.owner_id as fact_task_owner_id, task.assignee_id as fact_task_assignee_id,
  project.id as fact_project_id, project.owner_id as fact_project_owner_id, project.assignee_id as fact_project_assignee_id,
  ${organizationFactsColumns}`;

/** Comes after `task` and `project` in the `from` clause. */
export const taskFactsJoin = (actorId: number): Sql => organizationFactsJoin(sql`task.organization_id`, actorId);

export const readTaskFacts = (row: TaskFactsRow): TaskFacts => ({
  ownerId: row.fact_task_owner_id,
  assigneeId: row.fact_task_assignee_id,
  project:
    row.fact_project_id === null
      ? null
      : { ownerId: row.fact_project_owner_id, assigneeId: row.fact_project_assignee_id },
  organization: organizationFacts(row),
});

export interface NewTask {
  readonly name: string;
  readonly projectId: number | null;
  readonly ownerId: number | null;
  readonly assigneeId: number | null;
  readonly bugTracker: string;
  readonly overlap: number | null;
  readonly segmentSize: number;
  readonly subset: string;
  readonly consensusReplicas: number;
  readonly organizationId: number | null;
  readonly sourceStorageId: number | null;
  readonly targetStorageId: number | null;
  readonly now: Date;
}

@Injectable()
export class TaskRepository {
  async find(db: Queryable, id: number): Promise<TaskRow | undefined> {
    const [row] = await db.query<TaskRow>(sql`select ${TASK_COLUMNS} from ${TASK_FROM} where task.id = ${id}`);
    return row;
  }

  findAll(db: Queryable, ids: readonly number[]): Promise<TaskRow[]> {
    return db.query<TaskRow>(sql`
      select ${TASK_COLUMNS} from ${TASK_FROM} where task.id = any(${[...ids]}::int[]) order by task.id`);
  }

  /** The row, and the facts that the policy needs, in one statement. */
  async findWithFacts(
    db: Queryable,
    id: number,
    actorId: number,
  ): Promise<{ row: TaskRow; facts: TaskFacts } | undefined> {
    const [row] = await db.query<TaskRow & TaskFactsRow>(sql`
      select ${TASK_COLUMNS}, ${TASK_FACTS_COLUMNS} from ${TASK_FROM} ${taskFactsJoin(actorId)} where task.id = ${id}`);
    return row === undefined ? undefined : { row, facts: readTaskFacts(row) };
  }

  async facts(db: Queryable, id: number, actorId: number): Promise<TaskFacts | undefined> {
    const [row] = await db.query<TaskFactsRow>(sql`
      select ${TASK_FACTS_COLUMNS} from task left join project on project.id = task.project_id ${taskFactsJoin(actorId)}
      where task.id = ${id}`);
    return row === undefined ? undefined : readTaskFacts(row);
  }

  /** Locks the task until the transaction ends. @returns whether it exists */
  async lock(tx: Tx, id: number): Promise<boolean> {
    return (await tx.query(sql`select 1 from task where id = ${id} for no key update`)).length > 0;
  }

  async insert(tx: Tx, task: NewTask): Promise<number> {
    const [row] = await tx.query<{ id: number }>(sql`
      insert into task (name, project_id, owner_id, assignee_id, assignee_updated_date, bug_tracker, overlap, segment_size,
        subset, consensus_replicas, organization_id, source_storage_id, target_storage_id, created_date, updated_date)
      values (${task.name}, ${task.projectId}, ${task.ownerId}, ${task.assigneeId}, ${task.assigneeId === null ? null : task.now},
        ${task.bugTracker}, ${task.overlap}, ${task.segmentSize}, ${task.subset}, ${task.consensusReplicas},
        ${task.organizationId}, ${task.sourceStorageId}, ${task.targetStorageId}, ${task.now}, ${task.now})
      returning id`);
    return row?.id ?? 0;
  }

  set(tx: Tx, id: number, assignments: Sql): void {
    tx.write(sql`update task set ${assignments} where id = ${id}`);
  }

  async setStatuses(tx: Tx, statuses: ReadonlyMap<number, string>, now: Date): Promise<void> {
    await tx.query(sql`
      update task set status = change.status, updated_date = ${now}
      from unnest(${[...statuses.keys()]}::int[], ${[...statuses.values()]}::text[]) as change(id, status)
      where task.id = change.id`);
  }

  /** Locks tasks until the transaction ends. */
  async lockAll(tx: Tx, ids: readonly number[]): Promise<void> {
    await tx.query(sql`select 1 from task where id = any(${[...ids]}::int[]) order by id for no key update`);
  }

  async unassign(tx: Tx, ids: readonly number[], now: Date): Promise<void> {
    await tx.query(sql`
      update task set assignee_id = null, assignee_updated_date = ${now}, updated_date = ${now}
      where id = any(${[...ids]}::int[])`);
  }

  /** Ids of all tasks of these projects. */
  async ofProjects(db: Queryable, projectIds: readonly number[]): Promise<number[]> {
    const rows = await db.query<{ id: number }>(
      sql`select id from task where project_id = any(${[...projectIds]}::int[])`,
    );
    return rows.map(({ id }) => id);
  }

  /** Locks all tasks of these projects until the transaction ends. @returns their ids, newest first */
  async lockOfProjects(tx: Tx, projectIds: readonly number[]): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(
      sql`select id from task where project_id = any(${[...projectIds]}::int[]) order by id for update`,
    );
    return rows.map(({ id }) => id).toReversed();
  }

  delete(tx: Tx, id: number): Promise<void> {
    return this.deleteAll(tx, [id]);
  }

  /** Deletes the tasks and their data. */
  async deleteAll(tx: Tx, ids: readonly number[]): Promise<void> {
    await tx.query(sql`with deleted as (delete from task where id = any(${[...ids]}::int[]) returning data_id)
      delete from media_data using deleted where media_data.id = deleted.data_id`);
  }

  /** Updates the dates of the task's jobs, by which clients cache them. */
  async touchJobs(tx: Tx, id: number, now: Date): Promise<void> {
    await tx.query(sql`update job set updated_date = ${now} where task_id = ${id}`);
  }
}
