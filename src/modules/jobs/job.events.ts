import { columns, declareEvents } from '../../core/events/event-declaration.js';
import type { Created, Deleted, EventScope, Updated } from '../../core/events/event-map.js';
import { JobDto, type JobRow } from './job.dto.js';
import { Job20Dto } from './job.versions.js';

declare module '../../core/events/event-map.js' {
  interface EventMap {
    'create:job': Created<JobDto>;
    'update:job': Updated<JobDto>;
    'delete:job': Deleted<JobDto>;
  }
}

declareEvents({
  resource: 'job',
  object: JobDto,
  older: { '2.0': Job20Dto },
  operations: {
    create: 'A job is created: when the data of a task is processed, or for ground truth',
    update: 'The stage, state, assignee or annotations of a job change',
    delete: 'A job is deleted, on its own or with its task or project',
  },
  columns: {
    ...columns('created_date', 'updated_date', 'assignee_updated_date', 'status', 'stage', 'state', 'type'),
    assignee: 'assignee_id',
  },
});

/** The scope of events about a job. */
export const jobScope = (job: JobRow): EventScope => ({
  organizationId: job.organization_id,
  projectId: job.project_id,
});
