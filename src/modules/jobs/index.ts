import { Module } from '@nestjs/common';
import { type Representation, Represents } from '../../core/versioning/representations.js';
import { LabelService, LabelsModule } from '../labels/index.js';
import { TasksModule } from '../tasks/index.js';
import { JobController } from './job.controller.js';
import { JobCreation } from './job.create.js';
import { JobDeletion, JobService } from './job.service.js';
import { JobRepository } from './job.repository.js';
import { JobUpdate } from './job.update.js';
import { jobVersions } from './job.versions.js';

export {
  annotationSegments,
  groundTruthSegment,
  type InitialProgress,
  JobCreation,
  type SegmentWithJob,
} from './job.create.js';
export { JobDeletion } from './job.service.js';
export { JOB_STAGES, JOB_STATES, JOB_TYPES, JobDto, factsOf, toJob } from './job.dto.js';
export { JobRepository } from './job.repository.js';
export { JobService } from './job.service.js';
export { JobUpdate } from './job.update.js';
export { Job20Dto } from './job.versions.js';

@Module({
  imports: [LabelsModule, TasksModule],
  controllers: [JobController],
  providers: [JobRepository, JobService, JobUpdate, JobCreation, JobDeletion],
  exports: [JobRepository, JobService, JobUpdate, JobCreation, JobDeletion],
})
export class JobsModule {
  constructor(private readonly labels: LabelService) {}

  @Represents()
  versions(): Representation {
    return jobVersions(this.labels);
  }
}
