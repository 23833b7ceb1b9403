import { Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { BeforeDeleting, type Cascade } from '../../core/events/cascades.js';
import { OnTransfer, type Transfer } from '../../core/events/transfers.js';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { IssueService } from '../issues/index.js';
import { JobUpdate } from '../jobs/index.js';
import { ProjectService } from '../projects/index.js';
import { TaskService } from '../tasks/index.js';

/**
 * Assignees may open their work even outside an organization. So the assignments of a member in an organization end with
 * the membership, and all of them with the organization.
 */
@Injectable()
export class FormerAssignees {
  constructor(
    private readonly projects: ProjectService,
    private readonly tasks: TaskService,
    private readonly jobs: JobUpdate,
    private readonly issues: IssueService,
  ) {}

  @BeforeDeleting('membership')
  onDeletionOfMemberships(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    return this.unassign(
      tx,
      actor,
      (assignee, owner) => sql`exists (
      select from membership where membership.id = any(${[...ids]}::int[])
        and membership.user_id = ${assignee} and membership.organization_id = ${raw(owner)}.organization_id)`,
    );
  }

  @BeforeDeleting('organization')
  onDeletionOfOrganizations(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    return this.unassign(
      tx,
      actor,
      (assignee, owner) => sql`${assignee} is not null and ${raw(owner)}.organization_id = any(${[...ids]}::int[])`,
    );
  }

  /**
   * For a task, or a project and everything in it, that moves: its assignees need not be members of the other
   * organization.
   */
  @OnTransfer()
  onTransfer(tx: Tx, { kind, id, actor }: Transfer): Promise<void> {
    return this.unassign(tx, actor, (assignee, owner) => {
      if (kind === 'task') return owner === 'task' ? sql`${assignee} is not null and task.id = ${id}` : raw('false');
      return sql`${assignee} is not null and ${raw(owner === 'task' ? 'task.project_id' : 'project.id')} = ${id}`;
    });
  }

  /**
   * In the order in which all transactions lock.
   * @param isEnded condition for an assignment; `owner` is the table, `task` or `project`, that names the organization
   */
  private async unassign(
    tx: Tx,
    actor: Cascade['actor'],
    isEnded: (assignee: Sql, owner: 'task' | 'project') => Sql,
  ): Promise<void> {
    const ended = (table: string, from: Sql, owner: 'task' | 'project'): Promise<number[]> => {
      const condition = isEnded(raw(`${table}.assignee_id`), owner);
      return idsOf(tx, sql`select ${raw(table)}.id from ${from} where ${condition} order by 1`);
    };
    const ofTask = sql`job join task on task.id = job.task_id`;
    const tasks = await ended('task', raw('task'), 'task');
    const jobs = await ended('job', ofTask, 'task');
    const issues = await ended('issue', sql`issue join (${ofTask}) on job.id = issue.job_id`, 'task');
    const projects = await ended('project', raw('project'), 'project');
    await this.tasks.unassign(tx, actor, tasks);
    await this.jobs.unassign(tx, actor, jobs);
    await this.issues.unassign(tx, actor, issues);
    await this.projects.unassign(tx, actor, projects);
  }
}

async function idsOf(tx: Tx, select: Sql): Promise<number[]> {
  return (await tx.query<{ id: number }>(select)).map(({ id }) => id);
}
