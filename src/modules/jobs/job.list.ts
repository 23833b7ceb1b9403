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
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { personThrough } from '../users/index.js';
import { JOB_STAGES, JOB_STATES, JOB_TYPES } from './job.dto.js';
import { jobFrom } from './job.repository.js';

const SEARCH = ['task_name', 'project_name', 'assignee', 'state', 'stage'];

const tasksWhere = (condition: Sql): Sql => sql`select found_task.id from task found_task where ${condition}`;

const JOB_TASK = raw('job.task_id');

/** The list for one person: its rows have the facts about them. */
export const jobListOf = (actorId: number): ListSpec => ({
  from: jobFrom(actorId),
  rows: {
    table: raw('job'),
    joins: {
      task: raw('join task on task.id = job.task_id'),
      project: raw('left join project on project.id = task.project_id'),
      assignee: raw('left join app_user assignee on assignee.id = job.assignee_id'),
    },
    keys: { 'job.task_id': 'task.id' },
  },
  tally: {
    table: raw('job_tally job'),
    columns: ['job.organization_id', 'job.type', 'job.stage', 'job.state'],
    dates: ['job.updated_date'],
    count: raw('job.jobs'),
  },
  fields: {
    task_name: through(longText('task.name'), {
      column: JOB_TASK,
      ids: (test) => tasksWhere(test(raw('found_task.name'))),
      missing: NEVER,
    }),
    project_name: through(text('project.name'), {
      column: JOB_TASK,
      ids: (test) =>
        tasksWhere(sql`found_task.project_id = any(array(
          select found_project.id from project found_project where ${test(raw('found_project.name'))}))`),
      missing: raw('task.project_id is null'),
    }),
    assignee: personThrough('assignee', raw('job.assignee_id')),
    state: choice('job.state', JOB_STATES),
    stage: choice('job.stage', JOB_STAGES),
    id: integer('job.id'),
    task_id: integer('job.task_id'),
    project_id: integer('task.project_id'),
    updated_date: timestamp('job.updated_date'),
    dimension: through(choice('task.dimension', ['2d', '3d']), {
      column: JOB_TASK,
      ids: (test) => tasksWhere(test(raw('found_task.dimension'))),
      missing: NEVER,
    }),
    type: { ...choice('job.type', JOB_TYPES), synonyms: { replica: 'consensus_replica' } },
    parent_job_id: integer('job.parent_job_id'),
  },
  search: SEARCH,
  simple: [...SEARCH, 'task_id', 'project_id', 'dimension', 'type', 'parent_job_id'],
  aliases: { task: 'task_id', project: 'project_id' },
  defaultSort: '-id',
  organization: raw('job.organization_id'),
});

/** For the documentation. */
export const jobList = jobListOf(0);
