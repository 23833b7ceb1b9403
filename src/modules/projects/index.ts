import { Module } from '@nestjs/common';
import { type Representation, Represents } from '../../core/versioning/representations.js';
import { LabelService, LabelsModule } from '../labels/index.js';
import { StoragesModule } from '../storages/index.js';
import { ProjectController } from './project.controller.js';
import { ProjectCreation } from './project.create.js';
import { ProjectDeletion } from './project.delete.js';
import { ProjectUpdate } from './project.update.js';
import { ProjectRepository } from './project.repository.js';
import { ProjectService } from './project.service.js';
import { Transfers } from './transfer.js';
import { projectVersions } from './project.versions.js';

export { ProjectCreation } from './project.create.js';
export { ChildrenDto, CountedChildrenDto, JOB_STATUSES } from './project.dto.js';
export { newAssignee, ProjectRepository } from './project.repository.js';
export { ProjectService } from './project.service.js';
export { Transfers, transferScopes } from './transfer.js';

@Module({
  imports: [LabelsModule, StoragesModule],
  controllers: [ProjectController],
  providers: [ProjectRepository, ProjectService, ProjectCreation, ProjectUpdate, ProjectDeletion, Transfers],
  exports: [ProjectService, ProjectRepository, ProjectCreation, Transfers],
})
export class ProjectsModule {
  constructor(private readonly labels: LabelService) {}

  @Represents()
  versions(): Representation {
    return projectVersions(this.labels);
  }
}
