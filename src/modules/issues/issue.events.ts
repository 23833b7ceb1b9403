import { columns, declareEvents } from '../../core/events/event-declaration.js';
import type { Created, Deleted, EventScope, Updated } from '../../core/events/event-map.js';
import { IssueDto, type IssueRow } from './issue.dto.js';

declare module '../../core/events/event-map.js' {
  interface EventMap {
    'create:issue': Created<IssueDto>;
    'update:issue': Updated<IssueDto>;
    'delete:issue': Deleted<IssueDto>;
  }
}

declareEvents({
  resource: 'issue',
  object: IssueDto,
  operations: {
    create: 'An issue is created. The event of its first comment follows',
    update: 'An issue is updated, resolved or reopened',
    delete:
      'An issue is deleted, on its own or with its job, task or project; the events of its comments are sent first',
  },
  columns: {
    ...columns('frame', 'position', 'created_date', 'updated_date', 'resolved'),
    owner: 'owner_id',
    assignee: 'assignee_id',
  },
});

/** The scope of events about an issue or its comments. */
export const issueScope = (
  row: Pick<IssueRow, 'organization_id' | 'project_id' | 'task_id' | 'job_id'>,
): EventScope => ({
  organizationId: row.organization_id,
  projectId: row.project_id,
  taskId: row.task_id,
  jobId: row.job_id,
});
