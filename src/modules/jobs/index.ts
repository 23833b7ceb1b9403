export { groundTruthSegment } from './ground-truth-segment.js';
export { JobCreation } from './job-creation.js';
export { JOB_STAGES, JOB_STATES } from './job.dto.js';
export { annotationSegments, type JobProgress, type SegmentWithJob } from './job-plan.js';
export { JobRepository } from './job.repository.js';
export { JobService } from './job.service.js';
export { JobsModule } from './jobs.module.js';
