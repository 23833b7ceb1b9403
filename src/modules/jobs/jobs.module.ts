import { Inject, Module } from '@nestjs/common';
import { declareEvents } from '../../core/outbox/event-catalogue.js';
import { type Representation, Represents } from '../../core/versioning/representations.js';
import { LabelService, LabelsModule } from '../labels/index.js';
import { TasksModule } from '../tasks/index.js';
import { JobController } from './job.controller.js';
import { JobCreation } from './job.create.js';
import { JobDeletion } from './job.delete.js';
import { JobDto } from './job.dto.js';
import { JobRepository } from './job.repository.js';
import { JobService } from './job.service.js';
import { JobUpdate } from './job.update.js';
import { Job20Dto, jobVersions } from './job.versions.js';

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
  providers: [JobRepository, JobService, JobUpdate, JobCreation, JobDeletion],
  exports: [JobRepository, JobService, JobCreation, JobDeletion],
})
export class JobsModule {
  constructor(@Inject(LabelService) private readonly labels: LabelService) {}

  @Represents()
  versions(): Representation {
    return jobVersions(this.labels);
  }
}
