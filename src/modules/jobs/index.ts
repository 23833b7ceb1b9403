export { JobCreation, type SegmentWithJob } from './job-creation.js';
export type { JobEvent } from './job.events.js';
export { JobDto } from './job.dto.js';
export { type JobRow, placeOf, toJob } from './job.mapper.js';
export { JOB_COLUMNS, jobFrom, JobRepository } from './job.repository.js';
export { JobService } from './job.service.js';
export { JobsModule } from './jobs.module.js';
export type { ValidationLayout } from './validation-layout.js';
