export { ProjectCreation } from './project.create.js';
export { ChildrenDto, CountedChildrenDto, JOB_STATUSES } from './project.dto.js';
export { ProjectLabels } from './project.labels.js';
export { ProjectRepository } from './project.repository.js';
export { ProjectService } from './project.service.js';
export { newAssignee } from './project.update.js';
export { ProjectsModule } from './projects.module.js';
