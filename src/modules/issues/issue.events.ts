import { declareEvents } from '../../core/events/event-declaration.js';
import type { Created, Deleted, EventScope, Updated } from '../../core/events/event-map.js';
import { IssueDto } from './issue.dto.js';
import type { IssueRow } from './issue.mapper.js';

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
    create: 'An issue is opened; its first comment is told of after it',
    update: 'An issue is changed, resolved or reopened',
    delete: 'An issue is deleted, also with its job, task or project; its comments are told of before',
  },
});

/** The scope of events about an issue or its comments. */
export const issueScope = (row: Pick<IssueRow, 'organization_id' | 'project_id'>): EventScope => ({
  organizationId: row.organization_id,
  projectId: row.project_id,
});
