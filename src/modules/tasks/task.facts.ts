import {
  organizationFacts,
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from '../../core/access/organization-facts.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import type { TaskFacts } from '../../policy/task.policy.js';

/** What the policy asks about a task, read in the statement that reads the task or something in it. */
export interface TaskFactsRow extends OrganizationFactsRow {
  readonly fact_task_owner_id: number | null;
  readonly fact_task_assignee_id: number | null;
  readonly fact_project_id: number | null;
  readonly fact_project_owner_id: number | null;
  readonly fact_project_assignee_id: number | null;
}

/** Over `task`, its `project` and the tables of `taskFactsJoin`. */
export const TASK_FACTS_COLUMNS = sql`task.owner_id as fact_task_owner_id, task.assignee_id as fact_task_assignee_id,
  project.id as fact_project_id, project.owner_id as fact_project_owner_id, project.assignee_id as fact_project_assignee_id,
  ${organizationFactsColumns}`;

/** Follows a `from` that has `task` and `project`. */
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
