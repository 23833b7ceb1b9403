import { choice, integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { sql } from '../../engines/sql/sql.js';
import { LABEL_TYPES } from './label.dto.js';

export const labelList: ListSpec = {
  from: sql`label
    left join label parent on parent.id = label.parent_id
    left join task on task.id = label.task_id
    left join project on project.id = coalesce(label.project_id, task.project_id)`,
  fields: {
    id: integer('label.id'),
    name: text('label.name'),
    parent: text('parent.name'),
    type: choice('label.type', LABEL_TYPES),
    color: text('label.color'),
    parent_id: integer('label.parent_id'),
  },
  search: ['name', 'parent'],
  simple: ['name', 'parent', 'type', 'color', 'parent_id'],
  defaultSort: 'id',
  organization: sql`coalesce(project.organization_id, task.organization_id)`,
};
