import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import {
  organizationFacts,
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from '../../core/access/organization-facts.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import type { ProjectFacts } from '../../policy/project.policy.js';
import { storageColumns } from '../storages/index.js';
import { basicUserColumns } from '../users/index.js';
import type { ProjectRow } from './project.mapper.js';

/** `project` with the tables that its fields come from. */
export const PROJECT_FROM = sql`project
  left join app_user owner on owner.id = project.owner_id
  left join app_user assignee on assignee.id = project.assignee_id`;

export const PROJECT_COLUMNS = sql`project.id, project.name, project.bug_tracker, project.status, project.created_date,
  project.updated_date, project.assignee_updated_date, project.organization_id,
  ${storageColumns('project')},
  ${basicUserColumns('owner', 'owner')}, ${basicUserColumns('assignee', 'assignee')},
  (select guide.id from guide where guide.project_id = project.id) as guide_id,
  (select task.dimension from task where task.project_id = project.id order by task.id limit 1) as dimension,
  (select count(*) from task where task.project_id = project.id) as task_count,
  (select coalesce(array_agg(distinct task.subset), '{}') from task where task.project_id = project.id and task.subset <> '')
    as task_subsets`;

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

  /** The row with what the policy asks about it, in one statement. */
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

  /** What the policy asks. */
  async facts(db: Queryable, id: number, actorId: number): Promise<ProjectFacts | undefined> {
    const [row] = await db.query<FactsRow>(sql`
      select project.owner_id, project.assignee_id, ${organizationFactsColumns} from project
      ${organizationFactsJoin(sql`project.organization_id`, actorId)} where project.id = ${id}`);
    return row === undefined ? undefined : toFacts(row);
  }

  /** Nobody else changes the project until the transaction ends. */
  async lock(tx: Tx, id: number): Promise<boolean> {
    return (await tx.query(sql`select 1 from project where id = ${id} for no key update`)).length > 0;
  }

  /** Nobody else changes the tasks of the project, nor their jobs, until the transaction ends. */
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

  async set(tx: Tx, id: number, assignments: Sql): Promise<void> {
    await tx.query(sql`update project set ${assignments} where id = ${id}`);
  }

  async delete(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`delete from project where id = ${id}`);
  }

  /** Clients keep copies by date: what is in the project has changed with it. */
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
