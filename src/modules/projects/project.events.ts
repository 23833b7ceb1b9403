import { columns, declareEvents } from '../../core/events/event-declaration.js';
import type { Created, Deleted, EventScope, Updated } from '../../core/events/event-map.js';
import { ProjectDto } from './project.dto.js';
import { Project20Dto } from './project.versions.js';

declare module '../../core/events/event-map.js' {
  interface EventMap {
    'create:project': Created<ProjectDto>;
    'update:project': Updated<ProjectDto>;
    'delete:project': Deleted<ProjectDto>;
  }
}

declareEvents({
  resource: 'project',
  object: ProjectDto,
  older: { '2.0': Project20Dto },
  operations: {
    create: 'A project is created',
    update: 'A project, its labels, guide, tasks or annotations change',
    delete: 'A project is deleted; the events of its tasks and of everything in them follow',
  },
  ofProjects: ['update', 'delete'],
  columns: {
    ...columns('name', 'bug_tracker', 'created_date', 'updated_date', 'assignee_updated_date', 'status'),
    owner: 'owner_id',
    assignee: 'assignee_id',
    organization: 'organization_id',
    source_storage: 'source_storage_id',
    target_storage: 'target_storage_id',
  },
});

/** The scope of events about a project. */
export const projectScope = (project: ProjectDto): EventScope => ({
  organizationId: project.organization,
  projectId: project.id,
});
