import { bool, integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { sql } from '../../engines/sql/sql.js';
import { ISSUE_FROM } from './issue.repository.js';

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
  organization: sql`task.organization_id`,
};
