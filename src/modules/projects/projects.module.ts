import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { Representations } from '../../core/versioning/representations.js';
import { LabelService, LabelsModule } from '../labels/index.js';
import { StoragesModule } from '../storages/index.js';
import { ProjectController } from './project.controller.js';
import { ProjectRepository } from './project.repository.js';
import { ProjectService } from './project.service.js';
import { projectVersions } from './project.versions.js';

@Module({
  imports: [LabelsModule, StoragesModule],
  controllers: [ProjectController],
  providers: [ProjectRepository, ProjectService],
  exports: [ProjectService, ProjectRepository],
})
export class ProjectsModule implements OnModuleInit {
  constructor(
    @Inject(Representations) private readonly representations: Representations,
    @Inject(LabelService) private readonly labels: LabelService,
  ) {}

  onModuleInit(): void {
    this.representations.register(projectVersions(this.labels));
  }
}
