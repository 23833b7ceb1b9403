export { ChildrenDto, CountedChildrenDto, JOB_STATUSES } from './project.dto.js';
export { ProjectRepository } from './project.repository.js';
export { ProjectService } from './project.service.js';
export { ProjectsModule } from './projects.module.js';
