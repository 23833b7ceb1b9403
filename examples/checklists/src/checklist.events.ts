import type { Created, Deleted, EventDeclaration, EventScope, Updated } from 'cairn/extension';
import { ChecklistDto } from './checklist.dto.js';
import type { ChecklistRow } from './checklist.mapper.js';

declare module 'cairn/extension' {
  interface EventMap {
    'create:checklist': Created<ChecklistDto>;
    'update:checklist': Updated<ChecklistDto>;
    'delete:checklist': Deleted<ChecklistDto>;
  }
}

/**
 * The events `create:checklist`, `update:checklist` and `delete:checklist`, for webhooks of organizations, projects and
 * the server.
 */
export const checklistEvents: EventDeclaration = {
  resource: 'checklist',
  object: ChecklistDto,
  operations: {
    create: 'A checklist is created',
    update: 'A checklist is updated',
    delete: 'A checklist is deleted, also with its project',
  },
};

/** The scope of events about a checklist. */
export const checklistScope = (row: ChecklistRow): EventScope => ({
  organizationId: row.organization_id,
  projectId: row.project_id,
});
