import type { FrameRange } from '../../engines/media/segments.js';
import type { NewJob, NewSegment } from './job.repository.js';
import { jobStatus } from './job-status.js';

/** How far a job is; new where nothing is said. */
export interface JobProgress {
  readonly stage?: string;
  readonly state?: string;
}

/** A part of a task and the job on it. */
export interface SegmentWithJob extends NewSegment, JobProgress {
  readonly jobType: 'annotation' | 'ground_truth';
  readonly assigneeId?: number | null;
  /** Of the job's replicas, in their order. */
  readonly replicas?: readonly JobProgress[];
}

/** Parts of a task, with an annotation job on each. */
export const annotationSegments = (ranges: readonly FrameRange[]): SegmentWithJob[] =>
  ranges.map((range) => ({ ...range, type: 'range', frames: [], jobType: 'annotation' }));

/** A job that is to be made. */
export interface PlannedJob {
  readonly segment: SegmentWithJob;
  /** Index of the segment. */
  readonly place: number;
  readonly type: string;
  readonly progress: JobProgress;
  /** How many jobs before this one its parent is; 0: it has none. */
  readonly parentBefore: number;
}

/**
 * The jobs of some segments, in the order of their ids.
 * @param replicas of each annotation job, directly after it
 */
export const planJobs = (segments: readonly SegmentWithJob[], replicas: number): PlannedJob[] =>
  segments.flatMap((segment, place) => {
    const job = { segment, place, type: segment.jobType, progress: segment, parentBefore: 0 };
    if (segment.jobType !== 'annotation') return [job];
    const copies = Array.from({ length: replicas }, (_, index) => ({
      ...job,
      type: 'consensus_replica',
      progress: segment.replicas?.[index] ?? {},
      parentBefore: index + 1,
    }));
    return [job, ...copies];
  });

/** The rows of planned jobs. @param ids in the order of the plan */
export const newJobs = (plan: readonly PlannedJob[], segmentIds: readonly number[], ids: readonly number[]): NewJob[] =>
  plan.map(({ segment: { assigneeId = null }, progress, place, type, parentBefore }, index) => {
    const { stage = 'annotation', state = 'new' } = progress;
    return {
      id: ids[index] ?? 0,
      segmentId: segmentIds[place] ?? 0,
      type,
      parentJobId: parentBefore === 0 ? null : (ids[index - parentBefore] ?? null),
      assigneeId,
      stage,
      state,
      status: jobStatus(stage, state),
    };
  });
