import { declareEvents } from '../../core/events/event-declaration.js';
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
    create: 'A task is created, still without data',
    update: 'A task, its data, labels, guide, annotations or jobs change; also when its status follows from its jobs',
    delete: 'A task is deleted, by itself or with its project; the events of its contents come first',
  },
});

/** The scope of events about a task. */
export const taskScope = (task: TaskDto): EventScope => ({
  organizationId: task.organization,
  projectId: task.project_id,
});
