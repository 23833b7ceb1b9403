export {
  annotationSegments,
  groundTruthSegment,
  type InitialProgress,
  JobCreation,
  type SegmentWithJob,
} from './job.create.js';
export { JobDeletion } from './job.delete.js';
export { JOB_STAGES, JOB_STATES, JOB_TYPES, JobDto } from './job.dto.js';
export { factsOf, toJob } from './job.mapper.js';
export { JobRepository } from './job.repository.js';
export { JobService } from './job.service.js';
export { Job20Dto } from './job.versions.js';
export { JobsModule } from './jobs.module.js';
