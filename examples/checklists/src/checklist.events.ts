import type { EventDeclaration } from 'cairn/extension';

/** `create:checklist`, `update:checklist`, `delete:checklist`: for webhooks of organizations and of projects. */
export const checklistEvents: EventDeclaration = {
  resource: 'checklist',
  operations: ['create', 'update', 'delete'],
};
