import type { EventDeclaration } from 'cairn/extension';
import { ChecklistDto } from './checklist.dto.js';

/** `create:checklist`, `update:checklist`, `delete:checklist`: for webhooks of organizations, projects and the server. */
export const checklistEvents: EventDeclaration = {
  resource: 'checklist',
  object: ChecklistDto,
  operations: {
    create: 'A checklist is made',
    update: 'A checklist is changed',
    delete: 'A checklist is deleted, also with its project',
  },
};
