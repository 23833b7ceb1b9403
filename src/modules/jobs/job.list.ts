import {
  choice,
  integer,
  type ListSpec,
  longText,
  NEVER,
  text,
  through,
  timestamp,
} from '../../core/list/list-spec.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { column, columns, from, table } from '../../engines/sql/tables.js';
import { personThrough } from '../users/index.js';
import { JOB_STAGES, JOB_STATES, JOB_TYPES } from './job.dto.js';
import { JOB_TABLES, jobFrom } from './job.repository.js';

const SEARCH = ['task_name', 'project_name', 'assignee', 'state', 'stage'];

const FOUND_TASK = columns('found_task', ['id', 'name', 'dimension', 'project_id']);
const FOUND_PROJECT = columns('found_project', ['id', 'name']);

/** Selects the ids of the tasks that meet the condition. */
const tasksWhere = (condition: Sql): Sql =>
  sql`select ${FOUND_TASK.id} from ${table('task', 'found_task')} where ${condition}`;

const projectsWhere = (condition: Sql): Sql =>
  sql`select ${FOUND_PROJECT.id} from ${table('project', 'found_project')} where ${condition}`;

const JOB_TASK = column('job.task_id');

/** The fields by which lists of jobs can be filtered, sorted and searched. */
export const jobList: ListSpec = {
  from: from(JOB_TABLES),
  rows: JOB_TABLES,
  tally: {
    table: table('job_tally', 'job'),
    columns: ['job.organization_id', 'job.type', 'job.stage', 'job.state'],
    dates: ['job.updated_date'],
    count: column('job.jobs'),
  },
  fields: {
    task_name: through(longText('task.name'), {
      column: JOB_TASK,
      ids: (test) => tasksWhere(test(FOUND_TASK.name)),
      missing: NEVER,
    }),
    project_name: through(text('project.name'), {
      column: JOB_TASK,
      ids: (test) => tasksWhere(sql`${FOUND_TASK.project_id} = any(array(${projectsWhere(test(FOUND_PROJECT.name))}))`),
      missing: sql`${column('task.project_id')} is null`,
    }),
    assignee: personThrough('assignee', column('job.assignee_id')),
    state: choice('job.state', JOB_STATES),
    stage: choice('job.stage', JOB_STAGES),
    id: integer('job.id'),
    task_id: integer('job.task_id'),
    project_id: integer('task.project_id'),
    updated_date: timestamp('job.updated_date'),
    dimension: through(choice('task.dimension', ['1d', '2d', '3d']), {
      column: JOB_TASK,
      ids: (test) => tasksWhere(test(FOUND_TASK.dimension)),
      missing: NEVER,
    }),
    type: { ...choice('job.type', JOB_TYPES), synonyms: { replica: 'consensus_replica' } },
    parent_job_id: integer('job.parent_job_id'),
  },
  search: SEARCH,
  simple: [...SEARCH, 'task_id', 'project_id', 'dimension', 'type', 'parent_job_id'],
  aliases: { task: 'task_id', project: 'project_id' },
  defaultSort: '-id',
  organization: column('job.organization_id'),
};

/** The list for one actor: its rows include what the policy needs to know about the actor. */
export const jobListOf = (actorId: number): ListSpec => ({ ...jobList, from: jobFrom(actorId) });
