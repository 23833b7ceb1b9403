import type { Urls } from '../../core/http/urls.js';
import type { IssueFacts } from '../../shared/policy/issue.policy.js';
import { readTaskFacts, type TaskFactsRow } from '../tasks/index.js';
import { readBasicUser } from '../users/index.js';
import type { IssueDto } from './issue.dto.js';

export interface IssueRow {
  readonly id: number;
  readonly frame: number;
  readonly position: number[];
  readonly job_id: number;
  readonly assignee_id: number | null;
  readonly created_date: string | null;
  readonly updated_date: string | null;
  readonly resolved: boolean;
  readonly comment_count: number;
  readonly organization_id: number | null;
  readonly project_id: number | null;
}

export interface IssueFactsRow extends TaskFactsRow {
  readonly fact_issue_owner_id: number | null;
  readonly fact_issue_assignee_id: number | null;
  readonly fact_job_assignee_id: number | null;
}

export const readIssueFacts = (row: IssueFactsRow): IssueFacts => ({
  ownerId: row.fact_issue_owner_id,
  assigneeId: row.fact_issue_assignee_id,
  job: { assigneeId: row.fact_job_assignee_id, task: readTaskFacts(row) },
});

export const toIssue = (row: IssueRow, urls: Urls): IssueDto => ({
  id: row.id,
  frame: row.frame,
  position: row.position,
  job: row.job_id,
  owner: readBasicUser(row, 'owner', urls),
  assignee: readBasicUser(row, 'assignee', urls),
  created_date: row.created_date,
  updated_date: row.updated_date,
  resolved: row.resolved,
  comments: { count: row.comment_count, url: urls.children('comments', 'issue_id', row.id) },
});
