export { groundTruthSegment } from './ground-truth-segment.js';
export { JobCreation, type SegmentWithJob } from './job-creation.js';
export { JobRepository } from './job.repository.js';
export { JobService } from './job.service.js';
export { JobsModule } from './jobs.module.js';
