import { integer, type ListSpec, text, timestamp } from '../../core/list/list-spec.js';
import { raw, sql } from '../../engines/sql/sql.js';

export const REQUEST_FROM = sql`background_request left join app_user owner on owner.id = background_request.owner_id`;

const FIELDS = {
  status: text('background_request.status'),
  project_id: integer('background_request.project_id'),
  task_id: integer('background_request.task_id'),
  job_id: integer('background_request.job_id'),
  action: text("split_part(background_request.type, ':', 1)"),
  target: text('background_request.target'),
  subresource: text('background_request.subresource'),
  format: text('background_request.format'),
};

export const requestList: ListSpec = {
  from: REQUEST_FROM,
  fields: { ...FIELDS, created_date: timestamp('background_request.created_date') },
  dialect: 'requests',
  search: [],
  simple: Object.keys(FIELDS),
  sortable: ['created_date', 'status', 'action'],
  defaultSort: '-created_date',
  key: raw('background_request.row_id'),
  organization: sql`background_request.organization_id`,
};
