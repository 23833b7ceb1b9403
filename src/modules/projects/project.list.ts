import { choice, integer, type ListSpec, text, timestamp } from '../../core/list/list-spec.js';
import { sql } from '../../engines/sql/sql.js';
import { JOB_STATUSES } from './project.dto.js';
import { PROJECT_FROM } from './project.repository.js';

export const projectList: ListSpec = {
  from: PROJECT_FROM,
  fields: {
    name: text('project.name'),
    owner: text('owner.username'),
    assignee: text('assignee.username'),
    status: choice('project.status', JOB_STATUSES),
    id: integer('project.id'),
    updated_date: timestamp('project.updated_date'),
  },
  search: ['name', 'owner', 'assignee', 'status'],
  simple: ['name', 'owner', 'assignee', 'status'],
  defaultSort: '-id',
  organization: sql`project.organization_id`,
};
