import { choice, integer, type ListSpec, text, timestamp } from '../../core/list/list-spec.js';
import { sql } from '../../engines/sql/sql.js';
import { JOB_STAGES, JOB_STATES, JOB_TYPES } from './job.dto.js';
import { jobFrom } from './job.repository.js';

const SEARCH = ['task_name', 'project_name', 'assignee', 'state', 'stage'];

/** The list as one person sees it: its rows hold who they are to each job. */
export const jobListOf = (actorId: number): ListSpec => ({
  from: jobFrom(actorId),
  fields: {
    task_name: text('task.name'),
    project_name: text('project.name'),
    assignee: text('assignee.username'),
    state: choice('job.state', JOB_STATES),
    stage: choice('job.stage', JOB_STAGES),
    id: integer('job.id'),
    task_id: integer('job.task_id'),
    project_id: integer('task.project_id'),
    updated_date: timestamp('job.updated_date'),
    dimension: choice('task.dimension', ['2d', '3d']),
    type: choice('job.type', JOB_TYPES),
    parent_job_id: integer('job.parent_job_id'),
  },
  search: SEARCH,
  simple: [...SEARCH, 'task_id', 'project_id', 'dimension', 'type', 'parent_job_id'],
  aliases: { task: 'task_id', project: 'project_id' },
  defaultSort: '-id',
  organization: sql`task.organization_id`,
});

/** For the documentation. */
export const jobList = jobListOf(0);
