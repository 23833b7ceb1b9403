import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { sql } from '../../engines/sql/sql.js';
import { column, from, innerJoin, leftJoin, table } from '../../engines/sql/tables.js';
import type { CommentFacts } from '../../shared/policy/comment.policy.js';
import { ISSUE_FACTS_COLUMNS, type IssueFactsRow, readIssueFacts } from '../issues/index.js';
import { taskFactsJoin } from '../tasks/index.js';
import { basicUserColumns } from '../users/index.js';
import type { CommentDto, CommentRow } from './comment.dto.js';

/** `comment` with the tables that its fields come from. */
export const COMMENT_FROM = from({
  table: table('comment'),
  joins: [
    innerJoin(table('issue'), 'comment.issue_id'),
    innerJoin(table('job'), 'issue.job_id'),
    innerJoin(table('task'), 'job.task_id'),
    leftJoin(table('project'), 'task.project_id'),
    leftJoin(table('app_user', 'owner'), 'comment.owner_id'),
  ],
});

/** Columns of `CommentRow`. */
export const COMMENT_COLUMNS = sql`comment.id, comment.issue_id, comment.message, comment.created_date, comment.updated_date,
  issue.job_id, job.task_id, task.organization_id, task.project_id, ${basicUserColumns('owner', 'owner')}`;

/** What lists of comments can be filtered, sorted and searched by. */
export const commentList: ListSpec = {
  from: COMMENT_FROM,
  fields: {
    owner: text('owner.username'),
    id: integer('comment.id'),
    issue_id: integer('comment.issue_id'),
    frame_id: integer('issue.frame'),
    job_id: integer('issue.job_id'),
  },
  search: ['owner'],
  simple: ['owner', 'issue_id', 'frame_id', 'job_id'],
  aliases: { issue: 'issue_id', job: 'job_id' },
  defaultSort: '-id',
  organization: column('task.organization_id'),
};

@Injectable()
export class CommentRepository {
  async find(db: Queryable, id: number): Promise<CommentRow | undefined> {
    const [row] = await db.query<CommentRow>(
      sql`select ${COMMENT_COLUMNS} from ${COMMENT_FROM} where comment.id = ${id}`,
    );
    return row;
  }

  /** The row, and the facts that the policy needs, in one statement. */
  async findWithFacts(
    db: Queryable,
    id: number,
    actorId: number,
  ): Promise<{ row: CommentRow; facts: CommentFacts } | undefined> {
    const [row] = await db.query<CommentRow & IssueFactsRow>(sql`
      select ${COMMENT_COLUMNS}, ${ISSUE_FACTS_COLUMNS} from ${COMMENT_FROM} ${taskFactsJoin(actorId)}
      where comment.id = ${id}`);
    return row === undefined ? undefined : { row, facts: { ownerId: row.owner_id, issue: readIssueFacts(row) } };
  }

  /** Locks the comment until the transaction ends. */
  async lock(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`select 1 from comment where id = ${id} for no key update`);
  }

  /** All comments on these issues, newest first. */
  ofIssues(tx: Tx, issueIds: readonly number[]): Promise<CommentRow[]> {
    return tx.query<CommentRow>(sql`
      select ${COMMENT_COLUMNS} from ${COMMENT_FROM} where comment.issue_id = any(${[...issueIds]}::int[])
      order by comment.id desc`);
  }

  /** Inserts a comment. Takes no round trip. */
  insert(tx: Tx, { id, issue, message }: CommentDto, ownerId: number): void {
    tx.write(sql`
      insert into comment (id, issue_id, owner_id, message, created_date, updated_date)
      values (${id}, ${issue}, ${ownerId}, ${message}, ${tx.now}, ${tx.now})`);
  }

  /** @param message undefined: keeps the message, and only writes the date */
  set(tx: Tx, id: number, message: string | undefined, now: Date): void {
    tx.write(sql`
      update comment set message = coalesce(${message ?? null}, message), updated_date = ${now} where id = ${id}`);
  }

  async delete(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`delete from comment where id = ${id}`);
  }
}
