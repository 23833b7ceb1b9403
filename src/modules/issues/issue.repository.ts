import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { bool, integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { column, from, innerJoin, leftJoin, table } from '../../engines/sql/tables.js';
import type { IssueFacts } from '../../shared/policy/issue.policy.js';
import { TASK_FACTS_COLUMNS, taskFactsJoin } from '../tasks/index.js';
import { basicUserColumns } from '../users/index.js';
import { type IssueFactsRow, type IssueRow, readIssueFacts } from './issue.dto.js';

/** `issue` with the tables that its fields come from. */
export const ISSUE_FROM = from({
  table: table('issue'),
  joins: [
    innerJoin(table('job'), 'issue.job_id'),
    innerJoin(table('task'), 'job.task_id'),
    leftJoin(table('project'), 'task.project_id'),
    leftJoin(table('app_user', 'owner'), 'issue.owner_id'),
    leftJoin(table('app_user', 'assignee'), 'issue.assignee_id'),
  ],
});

/** Columns of `IssueRow`. */
export const ISSUE_COLUMNS = sql`issue.id, issue.frame, issue.position, issue.job_id, issue.created_date, issue.updated_date,
  issue.resolved, job.task_id, task.organization_id, task.project_id,
  ${basicUserColumns('owner', 'owner')}, ${basicUserColumns('assignee', 'assignee')},
  (select count(*) from comment where comment.issue_id = issue.id) as comment_count`;

/** What lists of issues can be filtered, sorted and searched by. */
export const issueList: ListSpec = {
  from: ISSUE_FROM,
  fields: {
    owner: text('owner.username'),
    assignee: text('assignee.username'),
    id: integer('issue.id'),
    job_id: integer('issue.job_id'),
    task_id: integer('job.task_id'),
    resolved: bool('issue.resolved'),
    frame_id: integer('issue.frame'),
  },
  search: ['owner', 'assignee'],
  simple: ['owner', 'assignee', 'job_id', 'task_id', 'resolved', 'frame_id'],
  aliases: { job: 'job_id', task: 'task_id' },
  defaultSort: '-id',
  organization: column('task.organization_id'),
};

/** The facts that the policy needs. Requires `issue`, `job`, `task`, `project` and the tables of `taskFactsJoin`. */
export const ISSUE_FACTS_COLUMNS = sql`issue.owner_id as fact_issue_owner_id, issue.assignee_id as fact_issue_assignee_id,
  job.assignee_id as fact_job_assignee_id, ${TASK_FACTS_COLUMNS}`;

export interface NewIssue {
  readonly id: number;
  readonly jobId: number;
  readonly frame: number;
  readonly position: readonly number[];
  readonly ownerId: number;
  readonly assigneeId: number | null;
  readonly resolved: boolean;
  readonly now: Date;
}

@Injectable()
export class IssueRepository {
  async find(db: Queryable, id: number): Promise<IssueRow | undefined> {
    const [row] = await db.query<IssueRow>(sql`select ${ISSUE_COLUMNS} from ${ISSUE_FROM} where issue.id = ${id}`);
    return row;
  }

  /** The row, and the facts that the policy needs, in one statement. */
  async findWithFacts(
    db: Queryable,
    id: number,
    actorId: number,
  ): Promise<{ row: IssueRow; facts: IssueFacts } | undefined> {
    const [row] = await db.query<IssueRow & IssueFactsRow>(sql`
      select ${ISSUE_COLUMNS}, ${ISSUE_FACTS_COLUMNS} from ${ISSUE_FROM} ${taskFactsJoin(actorId)} where issue.id = ${id}`);
    return row === undefined ? undefined : { row, facts: readIssueFacts(row) };
  }

  findAll(db: Queryable, ids: readonly number[]): Promise<IssueRow[]> {
    return db.query<IssueRow>(sql`
      select ${ISSUE_COLUMNS} from ${ISSUE_FROM} where issue.id = any(${[...ids]}::int[]) order by issue.id`);
  }

  /** Locks issues until the transaction ends, and reads them. */
  async lockAll(tx: Tx, ids: readonly number[]): Promise<IssueRow[]> {
    await tx.query(sql`select 1 from issue where id = any(${[...ids]}::int[]) order by id for no key update`);
    return this.findAll(tx, ids);
  }

  async unassign(tx: Tx, ids: readonly number[], now: Date): Promise<void> {
    await tx.query(sql`
      update issue set assignee_id = null, updated_date = ${now} where id = any(${[...ids]}::int[])`);
  }

  /** Locks the issue until the transaction ends. */
  async lock(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`select 1 from issue where id = ${id} for no key update`);
  }

  /** All issues of these jobs, newest first. */
  ofJobs(tx: Tx, jobIds: readonly number[]): Promise<IssueRow[]> {
    return tx.query<IssueRow>(sql`
      select ${ISSUE_COLUMNS} from ${ISSUE_FROM} where issue.job_id = any(${[...jobIds]}::int[]) order by issue.id desc`);
  }

  /** Inserts an issue. Takes no round trip. */
  insert(tx: Tx, issue: NewIssue): void {
    tx.write(sql`
      insert into issue (id, job_id, frame, position, owner_id, assignee_id, resolved, created_date, updated_date)
      values (${issue.id}, ${issue.jobId}, ${issue.frame}, ${issue.position}, ${issue.ownerId}, ${issue.assigneeId},
        ${issue.resolved}, ${issue.now}, ${issue.now})`);
  }

  set(tx: Tx, id: number, assignments: Sql): void {
    tx.write(sql`update issue set ${assignments} where id = ${id}`);
  }

  async delete(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`delete from issue where id = ${id}`);
  }
}
