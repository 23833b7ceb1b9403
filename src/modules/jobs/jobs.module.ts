import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { Representations } from '../../core/versioning/representations.js';
import { LabelService, LabelsModule } from '../labels/index.js';
import { TasksModule } from '../tasks/index.js';
import { GroundTruthRepository } from './ground-truth.repository.js';
import { GroundTruthService } from './ground-truth.service.js';
import { JobCascade } from './job.cascade.js';
import { JobController } from './job.controller.js';
import { JobQueries } from './job.queries.js';
import { JobRepository } from './job.repository.js';
import { JobService } from './job.service.js';
import { jobVersions } from './job.versions.js';
import { JobCreation } from './job-creation.js';

@Module({
  imports: [LabelsModule, TasksModule],
  controllers: [JobController],
  providers: [
    JobRepository,
    JobQueries,
    JobService,
    JobCreation,
    JobCascade,
    GroundTruthRepository,
    GroundTruthService,
  ],
  exports: [JobRepository, JobService, JobCreation],
})
export class JobsModule implements OnModuleInit {
  constructor(
    @Inject(Representations) private readonly representations: Representations,
    @Inject(LabelService) private readonly labels: LabelService,
  ) {}

  onModuleInit(): void {
    this.representations.register(jobVersions(this.labels));
  }
}
