import type { ChecklistDto } from './checklist.dto.js';
import type { ChecklistItem } from './checklist.entity.js';

export interface ChecklistRow {
  readonly id: number;
  readonly project_id: number;
  readonly organization_id: number | null;
  readonly title: string;
  readonly items: ChecklistItem[];
  readonly created_date: string;
  readonly updated_date: string;
}

/** The representation in responses and events. */
export const toChecklist = (row: ChecklistRow, baseUrl: string): ChecklistDto => ({
  url: `${baseUrl}/api/checklists/${row.id}`,
  id: row.id,
  project_id: row.project_id,
  title: row.title,
  items: row.items.map(({ text, done }) => ({ text, done })), // jsonb does not keep the order of keys
  complete: row.items.every((item) => item.done),
  created_date: row.created_date,
  updated_date: row.updated_date,
});
