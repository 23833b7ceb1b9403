import { choice, integer, type ListSpec, longText, text, through, timestamp } from '../../core/list/list-spec.js';
import { sql } from '../../engines/sql/sql.js';
import { column, columns, table } from '../../engines/sql/tables.js';
import { JOB_STATUSES } from '../projects/index.js';
import { personThrough } from '../users/index.js';
import { TASK_FROM, TASK_TABLES } from './task.repository.js';

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

const FOUND_PROJECT = columns('found_project', ['id', 'name']);
const FOUND_DATA = columns('found_data', ['id', 'validation_mode']);

/** What lists of tasks can be filtered, sorted and searched by. */
export const taskList: ListSpec = {
  from: TASK_FROM,
  rows: TASK_TABLES,
  fields: {
    project_name: through(text('project.name'), {
      column: column('task.project_id'),
      ids: (test) =>
        sql`select ${FOUND_PROJECT.id} from ${table('project', 'found_project')} where ${test(FOUND_PROJECT.name)}`,
    }),
    name: longText('task.name'),
    owner: personThrough('owner', column('task.owner_id')),
    status: choice('task.status', JOB_STATUSES),
    assignee: personThrough('assignee', column('task.assignee_id')),
    subset: longText('task.subset'),
    mode: { ...text('task.mode'), values: ['annotation', 'interpolation'] },
    dimension: choice('task.dimension', ['1d', '2d', '3d']),
    tracker_link: longText('task.bug_tracker'),
    validation_mode: through(choice('media_data.validation_mode', ['gt', 'gt_pool']), {
      column: column('task.data_id'),
      ids: (test) =>
        sql`select ${FOUND_DATA.id} from ${table('media_data', 'found_data')} where ${test(FOUND_DATA.validation_mode)}`,
      missing: sql`${column('media_data.validation_mode')} is null`,
    }),
    id: integer('task.id'),
    project_id: integer('task.project_id'),
    updated_date: timestamp('task.updated_date'),
  },
  search: SEARCH,
  simple: [...SEARCH, 'project_id'],
  aliases: { project: 'project_id' },
  defaultSort: '-id',
  organization: column('task.organization_id'),
};
