import { Injectable } from '@nestjs/common';
import { reserveIds, type Tx } from '../../core/database/tx.js';
import { Events } from '../../core/events/events.js';
import { absoluteFrame, type FrameSelection } from '../../engines/media/frames.js';
import type { FrameRange } from '../../engines/media/segments.js';
import type { Actor } from '../../shared/policy/actor.js';
import { jobScope } from './job.events.js';
import { toJob } from './job.dto.js';
import { jobStatus } from './job-progress.js';
import { JobRepository, type NewJob, type NewSegment } from './job.repository.js';

/** The stage and state of a new job; by default annotation and new. */
export interface InitialProgress {
  readonly stage?: string;
  readonly state?: string;
}

/** A segment of a task and the job on it. */
export interface SegmentWithJob extends NewSegment, InitialProgress {
  readonly jobType: 'annotation' | 'ground_truth';
  readonly assigneeId?: number | null;
  /** Progress of the job's replicas, in their order. */
  readonly replicas?: readonly InitialProgress[];
}

/** Segments of a task, with an annotation job on each. */
export const annotationSegments = (ranges: readonly FrameRange[]): SegmentWithJob[] =>
  ranges.map((range) => ({ ...range, type: 'range', frames: [], jobType: 'annotation' }));

/**
 * The segment of a ground truth job: selected frames of the whole task, or the validation pool at its end.
 * @param frames task-relative, ascending
 */
export function groundTruthSegment(
  { mode, frames }: { readonly mode: 'gt' | 'gt_pool'; readonly frames: readonly number[] },
  selection: Pick<FrameSelection, 'start' | 'step' | 'size'>,
): SegmentWithJob {
  const [first = 0] = frames;
  return mode === 'gt_pool'
    ? { start: first, stop: selection.size - 1, type: 'range', frames: [], jobType: 'ground_truth' }
    : {
        start: 0,
        stop: selection.size - 1,
        type: 'specific_frames',
        frames: frames.map((frame) => absoluteFrame(selection, frame)),
        jobType: 'ground_truth',
      };
}

/** Creates segments and their jobs. */
@Injectable()
export class JobCreation {
  constructor(
    private readonly rows: JobRepository,
    private readonly events: Events,
  ) {}

  /**
   * Inserts segments with a job each, and records the events. The number of statements does not depend on the number of
   * segments.
   * @param actor null if there is none
   * @param replicas number of replicas of each annotation job; their ids follow the id of the job
   * @returns ids of all new jobs, ascending
   */
  async createForTask(
    tx: Tx,
    actor: Actor | null,
    taskId: number,
    segments: readonly SegmentWithJob[],
    replicas: number,
  ): Promise<number[]> {
    if (segments.length === 0) return [];
    const now = tx.now;
    const plan = planJobs(segments, replicas);
    const segmentIds = await this.rows.insertSegments(tx, taskId, segments, now);
    const ids = await reserveIds(tx, 'job', plan.length);
    await this.rows.insert(tx, taskId, newJobs(plan, segmentIds, ids), now);
    await this.record(tx, actor, ids);
    return ids;
  }

  private async record(tx: Tx, actor: Actor | null, ids: readonly number[]): Promise<void> {
    const rows = await this.rows.findAll(tx, ids, actor?.id ?? 0);
    const created = rows.map((row) => ({ object: toJob(row, actor), scope: jobScope(row) }));
    await this.events.created(tx, actor, 'job', created);
  }
}

/** A job to be inserted. */
interface PlannedJob {
  readonly segment: SegmentWithJob;
  /** Index of the segment. */
  readonly index: number;
  readonly type: string;
  readonly progress: InitialProgress;
  /** The distance to its parent, which comes earlier in the list of planned jobs; 0: it has no parent. */
  readonly parentBefore: number;
}

/**
 * The jobs of segments, in the order of their ids. Replicas follow their annotation job.
 * @param replicas number of replicas of each annotation job
 */
export const planJobs = (segments: readonly SegmentWithJob[], replicas: number): PlannedJob[] =>
  segments.flatMap((segment, index) => {
    const job = { segment, index, type: segment.jobType, progress: segment, parentBefore: 0 };
    if (segment.jobType !== 'annotation') return [job];
    const copies = Array.from({ length: replicas }, (_, replica) => ({
      ...job,
      type: 'consensus_replica',
      progress: segment.replicas?.[replica] ?? {},
      parentBefore: replica + 1,
    }));
    return [job, ...copies];
  });

/** The rows of planned jobs. @param ids in the order of the plan */
export const newJobs = (plan: readonly PlannedJob[], segmentIds: readonly number[], ids: readonly number[]): NewJob[] =>
  plan.map(({ segment: { assigneeId = null }, progress, index, type, parentBefore }, position) => {
    const { stage = 'annotation', state = 'new' } = progress;
    return {
      id: ids[position] ?? 0,
      segmentId: segmentIds[index] ?? 0,
      type,
      parentJobId: parentBefore === 0 ? null : (ids[position - parentBefore] ?? null),
      assigneeId,
      stage,
      state,
      status: jobStatus(stage, state),
    };
  });
