import { columns, declareEvents } from '../../core/events/event-declaration.js';
import type { Created, Deleted, EventScope, Updated } from '../../core/events/event-map.js';
import { TaskDto } from './task.dto.js';
import { Task20Dto } from './task.versions.js';

declare module '../../core/events/event-map.js' {
  interface EventMap {
    'create:task': Created<TaskDto>;
    'update:task': Updated<TaskDto>;
    'delete:task': Deleted<TaskDto>;
  }
}

declareEvents({
  resource: 'task',
  object: TaskDto,
  older: { '2.0': Task20Dto },
  operations: {
    create: 'A task is created; its data is uploaded later',
    update: 'A task, its data, labels, guide, annotations or jobs change, or its status changes because of its jobs',
    delete:
      'A task is deleted, on its own or with its project; the events of its jobs, issues and comments are sent first',
  },
  columns: {
    ...columns('name', 'project_id', 'bug_tracker', 'created_date', 'updated_date', 'assignee_updated_date', 'overlap'),
    ...columns('segment_size', 'status', 'dimension', 'mode', 'media_type', 'subset'),
    owner: 'owner_id',
    assignee: 'assignee_id',
    data: 'data_id',
    organization: 'organization_id',
    source_storage: 'source_storage_id',
    target_storage: 'target_storage_id',
  },
});

/** The scope of events about a task. */
export const taskScope = (task: TaskDto): EventScope => ({
  organizationId: task.organization,
  projectId: task.project_id,
});
