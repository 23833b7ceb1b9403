import { column, integer, type ListSpec, sql, table, text, timestamp } from 'cairn/extension';

/** `checklist` joined with the table that decides who can see it. */
export const CHECKLIST_FROM = sql`
  ${table('checklist')} join ${table('project')} on ${column('project.id')} = ${column('checklist.project_id')}`;

export const checklistList: ListSpec = {
  from: CHECKLIST_FROM,
  fields: {
    id: integer('checklist.id'),
    project_id: integer('checklist.project_id'),
    title: text('checklist.title'),
    updated_date: timestamp('checklist.updated_date'),
  },
  search: ['title'],
  simple: ['project_id', 'title'],
  defaultSort: '-id',
  organization: column('project.organization_id'),
};
