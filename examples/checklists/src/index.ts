import type { Extension } from 'cairn/extension';
import { ChecklistEntity } from './checklist.entity.js';
import { checklistEvents } from './checklist.events.js';
import { ChecklistsModule } from './checklists.module.js';
import { Checklists1795300000000 } from './1795300000000-checklists.js';

/** The export that the server loads. */
export const extension: Extension = {
  name: 'checklists',
  module: ChecklistsModule,
  entities: [ChecklistEntity],
  migrations: [Checklists1795300000000],
  events: [checklistEvents],
};
