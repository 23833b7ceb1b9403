export { groundTruthSegment } from './ground-truth-segment.js';
export { JobCreation } from './job-creation.js';
export { annotationSegments, type SegmentWithJob } from './job-plan.js';
export { JobRepository } from './job.repository.js';
export { JobService } from './job.service.js';
export { JobsModule } from './jobs.module.js';
