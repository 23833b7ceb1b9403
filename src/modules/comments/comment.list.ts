import { integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { sql } from '../../engines/sql/sql.js';
import { COMMENT_FROM } from './comment.repository.js';

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
  organization: sql`task.organization_id`,
};
