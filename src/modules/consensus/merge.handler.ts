import { Injectable } from '@nestjs/common';
import { Actors } from '../../core/access/actors.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { ApiError } from '../../core/http/errors/errors.js';
import { TooManyPairs } from '../../engines/annotations/assignment.js';
import { AnnotationService } from '../annotations/index.js';
import { JobUpdate } from '../jobs/index.js';
import {
  HandlesRequests,
  loadOwner,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  toRequestFailure,
} from '../requests/index.js';
import { ConsensusRepository } from './consensus.repository.js';
import { type MergeTarget, MergeRepository, NO_JOB_IS_READY, type ReplicatedJob } from './merge.repository.js';
import { MERGE_TYPES } from './merge.service.js';
import { Replicas } from './replicas.js';

/**
 * Merges replicas into their jobs, in one transaction. Until it commits, it locks only the annotations of these jobs, so
 * that annotators can save their replicas.
 */
@Injectable()
@HandlesRequests(MERGE_TYPES.task)
@HandlesRequests(MERGE_TYPES.job)
export class MergeHandler implements RequestHandler {
  readonly successTtlMs = 300_000;
  readonly failureTtlMs = 86_400_000;

  constructor(
    private readonly work: UnitOfWork,
    private readonly actors: Actors,
    private readonly rows: MergeRepository,
    private readonly settings: ConsensusRepository,
    private readonly replicas: Replicas,
    private readonly annotations: AnnotationService,
    private readonly jobs: JobUpdate,
  ) {}

  async run(request: RequestContext): Promise<void> {
    try {
      request.signal.throwIfAborted();
      await this.work.run(async (tx) => {
        await this.merge(tx, request);
        await request.finish(tx);
      });
    } catch (error) {
      throw toRequestFailure(error, request, ApiError, TooManyPairs);
    }
  }

  private async merge(tx: Tx, request: RequestContext): Promise<void> {
    const target = request.parameters as MergeTarget;
    const [actor, task, parents, settings] = await Promise.all([
      loadOwner(this.actors, tx, request),
      this.rows.taskOf(tx, target),
      this.rows.readyParents(tx, request.taskId ?? 0),
      this.settings.ofTask(tx, request.taskId ?? 0),
    ]);
    if (task === undefined || settings === undefined) throw new RequestFailure(`The ${target.kind} was deleted`);
    const chosen = parents.filter(({ id }) => target.kind === 'task' || id === target.id);
    if (chosen.length === 0) throw new RequestFailure(NO_JOB_IS_READY);
    request.setMessage('Merging replicas');
    const merging = await this.replicas.open(tx, task, request.signal);
    const byId = new Map(chosen.map((job) => [job.id, job]));
    const ids = [...byId.keys()];
    let done = 0;
    await this.annotations.replaceOfJobs(tx, actor, { taskId: task.id, jobIds: ids }, (job) => {
      request.setProgress(done++ / ids.length);
      return merging.merged(byId.get(job.id) as ReplicatedJob, settings);
    });
    await this.jobs.setProgress(tx, actor, ids, { state: 'completed' }, requireStage);
  }
}

/** @throws RequestFailure if somebody has moved a job to another stage while it was merged */
function requireStage(jobs: readonly { readonly id: number; readonly stage: string }[]): void {
  const moved = jobs.find(({ stage }) => stage !== 'annotation');
  if (moved === undefined) return;
  throw new RequestFailure(
    `Job ${moved.id} was moved to the stage ${moved.stage} while it was merged. No job was changed.`,
  );
}
