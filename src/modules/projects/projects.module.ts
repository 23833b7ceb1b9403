import { Inject, Module } from '@nestjs/common';
import { declareEvents } from '../../core/outbox/event-catalogue.js';
import { type Representation, Represents } from '../../core/versioning/representations.js';
import { LabelService, LabelsModule } from '../labels/index.js';
import { StoragesModule } from '../storages/index.js';
import { ProjectController } from './project.controller.js';
import { ProjectCreation } from './project.create.js';
import { ProjectDeletion } from './project.delete.js';
import { ProjectDto } from './project.dto.js';
import { ProjectLabels } from './project.labels.js';
import { ProjectRepository } from './project.repository.js';
import { ProjectService } from './project.service.js';
import { ProjectUpdate } from './project.update.js';
import { Project20Dto, projectVersions } from './project.versions.js';

declareEvents({
  resource: 'project',
  object: ProjectDto,
  older: { '2.0': Project20Dto },
  operations: {
    create: 'A project is made',
    update: 'A project is changed, or something in it: its labels, guide, tasks or annotations',
    delete: 'A project is deleted; what was in it is told of after it',
  },
  ofProjects: ['update', 'delete'],
});

@Module({
  imports: [LabelsModule, StoragesModule],
  controllers: [ProjectController],
  providers: [ProjectRepository, ProjectService, ProjectCreation, ProjectUpdate, ProjectDeletion, ProjectLabels],
  exports: [ProjectService, ProjectRepository, ProjectCreation, ProjectLabels],
})
export class ProjectsModule {
  constructor(@Inject(LabelService) private readonly labels: LabelService) {}

  @Represents()
  versions(): Representation {
    return projectVersions(this.labels);
  }
}
