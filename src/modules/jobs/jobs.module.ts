import { Inject, Module } from '@nestjs/common';
import { declareEvents } from '../../core/outbox/event-catalogue.js';
import { type Representation, Represents } from '../../core/versioning/representations.js';
import { LabelService, LabelsModule } from '../labels/index.js';
import { TasksModule } from '../tasks/index.js';
import { GroundTruthRepository } from './ground-truth.repository.js';
import { GroundTruthService } from './ground-truth.service.js';
import { JobCascade } from './job.cascade.js';
import { JobController } from './job.controller.js';
import { JobDto } from './job.dto.js';
import { JobQueries } from './job.queries.js';
import { JobRepository } from './job.repository.js';
import { JobService } from './job.service.js';
import { Job20Dto } from './job.v20.dto.js';
import { jobVersions } from './job.versions.js';
import { JobCreation } from './job-creation.js';

declareEvents({
  resource: 'job',
  object: JobDto,
  older: { '2.0': Job20Dto },
  operations: {
    create: 'A job is made: when the images of a task have been processed, or for ground truth',
    update: 'Stage, state or assignee of a job, or its annotations, change',
    delete: 'A job is deleted, also with its task or project',
  },
});

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
export class JobsModule {
  constructor(@Inject(LabelService) private readonly labels: LabelService) {}

  @Represents()
  versions(): Representation {
    return jobVersions(this.labels);
  }
}
