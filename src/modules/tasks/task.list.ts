import { choice, integer, type ListSpec, longText, text, through, timestamp } from '../../core/list/list-spec.js';
import { raw, sql } from '../../engines/sql/sql.js';
import { JOB_STATUSES } from '../projects/index.js';
import { personThrough } from '../users/index.js';
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
  rows: {
    table: raw('task'),
    joins: {
      project: raw('left join project on project.id = task.project_id'),
      owner: raw('left join app_user owner on owner.id = task.owner_id'),
      assignee: raw('left join app_user assignee on assignee.id = task.assignee_id'),
      media_data: raw('left join media_data on media_data.id = task.data_id'),
    },
  },
  fields: {
    project_name: through(text('project.name'), {
      column: raw('task.project_id'),
      ids: (test) => sql`select found_project.id from project found_project where ${test(raw('found_project.name'))}`,
    }),
    name: longText('task.name'),
    owner: personThrough('owner', raw('task.owner_id')),
    status: choice('task.status', JOB_STATUSES),
    assignee: personThrough('assignee', raw('task.assignee_id')),
    subset: longText('task.subset'),
    mode: { ...text('task.mode'), values: ['annotation', 'interpolation'] },
    dimension: choice('task.dimension', ['2d', '3d']),
    tracker_link: longText('task.bug_tracker'),
    validation_mode: through(choice('media_data.validation_mode', ['gt', 'gt_pool']), {
      column: raw('task.data_id'),
      ids: (test) =>
        sql`select found_data.id from media_data found_data where ${test(raw('found_data.validation_mode'))}`,
      missing: raw('media_data.validation_mode is null'),
    }),
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
