import { choice, integer, type ListSpec, text, timestamp } from '../../core/list/list-spec.js';
import { raw, sql } from '../../engines/sql/sql.js';
import { personThrough } from '../users/index.js';
import { JOB_STATUSES } from './project.dto.js';
import { PROJECT_FROM } from './project.repository.js';

export const projectList: ListSpec = {
  from: PROJECT_FROM,
  rows: {
    table: raw('project'),
    joins: {
      owner: raw('left join app_user owner on owner.id = project.owner_id'),
      assignee: raw('left join app_user assignee on assignee.id = project.assignee_id'),
    },
  },
  fields: {
    name: text('project.name'),
    owner: personThrough('owner', raw('project.owner_id')),
    assignee: personThrough('assignee', raw('project.assignee_id')),
    status: choice('project.status', JOB_STATUSES),
    id: integer('project.id'),
    updated_date: timestamp('project.updated_date'),
  },
  search: ['name', 'owner', 'assignee', 'status'],
  simple: ['name', 'owner', 'assignee', 'status'],
  defaultSort: '-id',
  organization: sql`project.organization_id`,
};
