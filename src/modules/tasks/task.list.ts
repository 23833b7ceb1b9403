import { choice, integer, type ListSpec, text, timestamp } from '../../core/list/list-spec.js';
import { sql } from '../../engines/sql/sql.js';
import { JOB_STATUSES } from '../projects/index.js';
import { TASK_FROM } from './task.repository.js';

const SEARCH = [
  'project_name',
  'name',
  'owner',
  'status',
  'assignee',
  'subset',
  'mode',
  'dimension',
  'tracker_link',
  'validation_mode',
];

export const taskList: ListSpec = {
  from: TASK_FROM,
  fields: {
    project_name: text('project.name'),
    name: text('task.name'),
    owner: text('owner.username'),
    status: choice('task.status', JOB_STATUSES),
    assignee: text('assignee.username'),
    subset: text('task.subset'),
    mode: text('task.mode'),
    dimension: choice('task.dimension', ['2d', '3d']),
    tracker_link: text('task.bug_tracker'),
    validation_mode: choice('media_data.validation_mode', ['gt', 'gt_pool']),
    id: integer('task.id'),
    project_id: integer('task.project_id'),
    updated_date: timestamp('task.updated_date'),
  },
  search: SEARCH,
  simple: [...SEARCH, 'project_id'],
  aliases: { project: 'project_id' },
  defaultSort: '-id',
  organization: sql`task.organization_id`,
};
