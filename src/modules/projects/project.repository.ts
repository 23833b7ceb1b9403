import { Injectable } from '@nestjs/common';
import {
  organizationFacts,
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from '../../core/access/organization-context.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { choice, integer, type ListSpec, text, timestamp } from '../../core/list/list-spec.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { column, from, leftJoin, table, type Tables } from '../../engines/sql/tables.js';
import type { ProjectFacts } from '../../shared/policy/project.policy.js';
import { storageColumns } from '../storages/index.js';
import { basicUserColumns, personThrough } from '../users/index.js';
import { JOB_STATUSES, type ProjectRow } from './project.dto.js';

/** `project` with the tables that its fields come from. */
const PROJECT_TABLES: Tables = {
  table: table('project'),
  joins: [
    leftJoin(table('app_user', 'owner'), 'project.owner_id'),
    leftJoin(table('app_user', 'assignee'), 'project.assignee_id'),
  ],
};

export const PROJECT_FROM = from(PROJECT_TABLES);

export const PROJECT_COLUMNS = sql`project.id, project.name, project.bug_tracker, project.status, project.created_date,
  project.updated_date, project.assignee_updated_date, project.organization_id,
  ${storageColumns('project')},
  ${basicUserColumns('owner', 'owner')}, ${basicUserColumns('assignee', 'assignee')},
  (select guide.id from guide where guide.project_id = project.id) as guide_id,
  (select task.dimension from task where task.project_id = project.id order by task.id limit 1) as dimension,
  (select count(*) from task where task.project_id = project.id) as task_count,
  (select coalesce(array_agg(distinct task.subset), '{}') from task where task.project_id = project.id and task.subset <> '')
    as task_subsets`;

/** What lists of projects can be filtered, sorted and searched by. */
export const projectList: ListSpec = {
  from: PROJECT_FROM,
  rows: PROJECT_TABLES,
  fields: {
    name: text('project.name'),
    owner: personThrough('owner', column('project.owner_id')),
    assignee: personThrough('assignee', column('project.assignee_id')),
    status: choice('project.status', JOB_STATUSES),
    id: integer('project.id'),
    updated_date: timestamp('project.updated_date'),
  },
  search: ['name', 'owner', 'assignee', 'status'],
  simple: ['name', 'owner', 'assignee', 'status'],
  defaultSort: '-id',
  organization: column('project.organization_id'),
};

interface FactsRow extends OrganizationFactsRow {
  readonly owner_id: number | null;
  readonly assignee_id: number | null;
}

export interface NewProject {
  readonly name: string;
  readonly bugTracker: string;
  readonly ownerId: number | null;
  readonly assigneeId: number | null;
  readonly organizationId: number | null;
  readonly sourceStorageId: number | null;
  readonly targetStorageId: number | null;
  readonly now: Date;
}

@Injectable()
export class ProjectRepository {
  async find(db: Queryable, id: number): Promise<ProjectRow | undefined> {
    const [row] = await db.query<ProjectRow>(
      sql`select ${PROJECT_COLUMNS} from ${PROJECT_FROM} where project.id = ${id}`,
    );
    return row;
  }

  /** The row, and the facts that the policy needs, in one statement. */
  async findWithFacts(
    db: Queryable,
    id: number,
    actorId: number,
  ): Promise<{ row: ProjectRow; facts: ProjectFacts } | undefined> {
    const [row] = await db.query<ProjectRow & OrganizationFactsRow>(sql`
      select ${PROJECT_COLUMNS}, ${organizationFactsColumns} from ${PROJECT_FROM}
      ${organizationFactsJoin(sql`project.organization_id`, actorId)} where project.id = ${id}`);
    return row === undefined ? undefined : { row, facts: toFacts(row) };
  }

  /** The facts that the policy needs. */
  async facts(db: Queryable, id: number, actorId: number): Promise<ProjectFacts | undefined> {
    const [row] = await db.query<FactsRow>(sql`
      select project.owner_id, project.assignee_id, ${organizationFactsColumns} from project
      ${organizationFactsJoin(sql`project.organization_id`, actorId)} where project.id = ${id}`);
    return row === undefined ? undefined : toFacts(row);
  }

  /** Locks the project until the transaction ends. @returns whether it exists */
  async lock(tx: Tx, id: number): Promise<boolean> {
    return (await tx.query(sql`select 1 from project where id = ${id} for no key update`)).length > 0;
  }

  /** Locks the project of a task until the transaction ends, and reads it in the same round trip. */
  async lockOfTask(tx: Tx, taskId: number): Promise<ProjectRow | undefined> {
    const id = sql`(select project_id from task where id = ${taskId})`;
    const locked = tx.query(sql`select 1 from project where id = ${id} for no key update`);
    const read = tx.query<ProjectRow>(sql`select ${PROJECT_COLUMNS} from ${PROJECT_FROM} where project.id = ${id}`);
    const [, [row]] = await Promise.all([locked, read]);
    return row;
  }

  /** Locks the tasks of the project, and so their jobs, until the transaction ends. */
  async lockContents(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`select from task where project_id = ${id} order by id for no key update`);
  }

  async insert(tx: Tx, project: NewProject): Promise<number> {
    const [row] = await tx.query<{ id: number }>(sql`
      insert into project (name, bug_tracker, owner_id, assignee_id, assignee_updated_date, organization_id, source_storage_id,
        target_storage_id, created_date, updated_date)
      values (${project.name}, ${project.bugTracker}, ${project.ownerId}, ${project.assigneeId},
        ${project.assigneeId === null ? null : project.now}, ${project.organizationId}, ${project.sourceStorageId},
        ${project.targetStorageId}, ${project.now}, ${project.now})
      returning id`);
    return row?.id ?? 0;
  }

  set(tx: Tx, id: number, assignments: Sql): void {
    tx.write(sql`update project set ${assignments} where id = ${id}`);
  }

  async delete(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`delete from project where id = ${id}`);
  }

  /** Moves the tasks of the project to another organization. */
  async moveContents(tx: Tx, id: number, organizationId: number | null): Promise<void> {
    await tx.query(sql`
      update task set organization_id = ${organizationId}::int, updated_date = ${tx.now} where project_id = ${id}`);
  }

  /** New dates for the tasks and jobs of the project: clients cache them by date. */
  async touchContents(tx: Tx, id: number, now: Date): Promise<void> {
    await tx.query(sql`update task set updated_date = ${now} where project_id = ${id}`);
    await tx.query(
      sql`update job set updated_date = ${now} from task where task.id = job.task_id and task.project_id = ${id}`,
    );
  }
}

const toFacts = (row: FactsRow): ProjectFacts => ({
  ownerId: row.owner_id,
  assigneeId: row.assignee_id,
  organization: organizationFacts(row),
});

/** The columns that change when a project or task is assigned: none if the assignee stays the same. */
export const newAssignee = (
  row: { readonly assignee_id: number | null },
  id: number | null | undefined,
  now: Date,
): Readonly<Record<string, unknown>> =>
  id === undefined || id === row.assignee_id ? {} : { assignee_id: id, assignee_updated_date: now };
