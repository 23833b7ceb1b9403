import { Inject, Injectable } from '@nestjs/common';
import { reserveIds } from '../../core/database/reserve-ids.js';
import type { Tx } from '../../core/database/tx.js';
import { EventRecorder } from '../../core/outbox/event-recorder.js';
import type { Actor } from '../../shared/policy/actor.js';
import { placeOf, toJob } from './job.mapper.js';
import { newJobs, planJobs, type SegmentWithJob } from './job-plan.js';
import { JobRepository } from './job.repository.js';

/** Makes segments and their jobs. */
@Injectable()
export class JobCreation {
  constructor(
    @Inject(JobRepository) private readonly jobs: JobRepository,
    @Inject(EventRecorder) private readonly events: EventRecorder,
  ) {}

  /**
   * Inserts segments with a job each, and tells it. The number of statements does not depend on that of the segments.
   * @param actor null when nobody is known
   * @param replicas further jobs that repeat each annotation job, directly after it
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
    const segmentIds = await this.jobs.insertSegments(tx, taskId, segments, now);
    const ids = await reserveIds(tx, 'job', plan.length);
    await this.jobs.insert(tx, taskId, newJobs(plan, segmentIds, ids), now);
    await this.tell(tx, actor, ids);
    return ids;
  }

  private async tell(tx: Tx, actor: Actor | null, ids: readonly number[]): Promise<void> {
    const rows = await this.jobs.findAll(tx, ids, actor?.id ?? 0);
    const [first] = rows;
    if (first === undefined) return;
    const changes = rows.map((row) => ({ after: toJob(row, actor) }));
    await this.events.record(tx, actor, { operation: 'create', resource: 'job' }, placeOf(first), changes);
  }
}
