import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { Db, type Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { ChangeLog } from '../../../core/event-log/change-log.js';
import { currentOrigin } from '../../../core/event-log/origin.js';
import { ApiError, InvalidString, Unavailable } from '../../../core/http/errors/errors.js';
import { Notifier } from '../../../core/worker/notifier.js';
import { categoryOf, KIND_OF, type RequestParams } from '../../../engines/functions/request-params.js';
import type { Sql } from '../../../engines/sql/sql.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { JobService } from '../../jobs/index.js';
import { TaskService } from '../../tasks/index.js';
import { FunctionService } from '../function.service.js';
import { AnnotationTargets } from './annotation-targets.js';
import {
  type AnnotationRequestRow,
  AnnotationRequestRepository,
  NO_ANSWER,
  STATE_LOST,
} from './annotation-request.repository.js';
import { QueueWatcher } from './queue.watcher.js';

/** An interactive request fails after this time. */
const INTERACTIVE_MS = 60_000;
/** An idle agent that has the state of a tracked object takes its requests within this time. */
const CLAIM_MS = 10_000;

/** Requests are deleted together with their function and their task. */
const DELETED = 'The function or the task was deleted in the meantime.';

/** A request for an agent. */
export interface AskedAnnotation {
  readonly functionId: number;
  readonly taskId: number;
  /** Annotates only the frames of this job. */
  readonly jobId?: number | null;
  readonly params: RequestParams;
  /** Only of `annotate_task`: the results replace all annotations of the task, or of the job. */
  readonly cleanup?: boolean;
  /** The only agent that can process it. `track` requires the agent that returned the states. */
  readonly agentId?: string;
}

/** How an interactive request ended. */
export type Outcome =
  | { readonly status: 'finished'; readonly result: unknown; readonly agentId: string }
  | {
      readonly status: 'failed';
      readonly reason: 'agent' | 'timeout' | 'state lost' | 'cancelled' | 'deleted';
      /** Safe to show to whoever made the request. */
      readonly error: string;
    };

/** Makes requests for the agents of functions, and waits for their results. */
@Injectable()
export class AnnotationRequests {
  constructor(
    private readonly db: Db,
    private readonly rows: AnnotationRequestRepository,
    private readonly functions: FunctionService,
    private readonly tasks: TaskService,
    private readonly jobs: JobService,
    private readonly targets: AnnotationTargets,
    private readonly watcher: QueueWatcher,
    private readonly changes: ChangeLog,
    private readonly notifier: Notifier,
    private readonly clock: Clock,
  ) {}

  /**
   * Puts a request into the queue of its function, and records the call in the event log. The caller has checked the
   * mapping and the forms of all parameters.
   * @returns the id of the request
   * @throws NotFound, Forbidden; InvalidString, InvalidList for a function or task that does not fit; Unavailable if an
   * interactive request has no agent; ApiError 409 if the task already has a batch request
   */
  async create(tx: Tx, actor: Actor, asked: AskedAnnotation): Promise<string> {
    const { functionId, taskId, jobId = null, params } = asked;
    const category = categoryOf(params.type);
    const one = await this.functions.require(tx, actor, functionId, 'call');
    if (one.kind !== KIND_OF[params.type]) throw new InvalidString(`A ${one.kind} cannot process ${params.type}.`);
    await this.requireTarget(tx, actor, asked);
    if (category === 'interactive' && !one.has_agent)
      throw new Unavailable(`No agent is running for the function ${one.name}.`);
    const id = randomUUID();
    const origin = actor.origin ?? currentOrigin();
    const isFirst = await this.rows.insert(tx, {
      id,
      functionId,
      category,
      params,
      taskId,
      jobId,
      cleanup: asked.cleanup ?? false,
      ownerId: actor.id,
      baseUrl: actor.baseUrl,
      origin,
      pinnedAgent: asked.agentId ?? null,
      deadline: category === 'batch' ? null : new Date(tx.now.getTime() + INTERACTIVE_MS),
    });
    if (!isFirst) throw new ApiError(409, `Only one running request is allowed for the same task #${taskId}`);
    const object = { function: { id: String(functionId) }, category, parameters: loggedParameters(params) };
    this.changes.record(
      tx,
      actor,
      'call:function',
      { object: { ...object, task_id: taskId, job_id: jobId } },
      { taskId },
    );
    tx.afterCommit(() => this.notifier.notify('functions'));
    return id;
  }

  /**
   * Waits until an interactive request has ended, which takes at most a minute. If the signal is aborted, the request is
   * cancelled.
   * @throws the reason of the signal
   */
  async outcome(id: string, signal: AbortSignal): Promise<Outcome> {
    const timers = [
      setTimeout(() => this.settle(() => this.rows.failUnclaimed(this.db, id, STATE_LOST, this.clock.now())), CLAIM_MS),
      setTimeout(() => this.settle(() => this.rows.expire(this.db, this.clock.now())), INTERACTIVE_MS + 50),
    ];
    try {
      const ended = await this.watcher.ended(id, signal);
      if (ended?.status === 'finished')
        return { status: 'finished', result: ended.result, agentId: ended.agent_id ?? '' };
      if (ended === undefined) return { status: 'failed', reason: 'deleted', error: DELETED };
      if (ended.status === 'cancelled')
        return { status: 'failed', reason: 'cancelled', error: 'The request was cancelled.' };
      return { status: 'failed', reason: reasonOf(ended.error), error: ended.error };
    } catch (error) {
      await this.cancel(id);
      throw error;
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }

  /** The caller has checked the permission. The agent goes on, but its results are refused. @returns false if it has ended */
  async cancel(id: string): Promise<boolean> {
    const row = await this.rows.find(this.db, id);
    if (row === undefined) return false;
    const isCancelled = await this.rows.endOpen(this.db, row.row_id, { status: 'cancelled', now: this.clock.now() });
    this.notifier.notify('functions');
    return isCancelled;
  }

  /** A request that has not been deleted: batch requests are kept for three hours after their end. */
  find(db: Queryable, id: string): Promise<AnnotationRequestRow | undefined> {
    return this.rows.find(db, id);
  }

  /** @param condition on the tables `annotation_request` and `task`. @returns requests, newest first */
  list(db: Queryable, condition: Sql): Promise<AnnotationRequestRow[]> {
    return this.rows.where(db, condition);
  }

  private async requireTarget(tx: Tx, actor: Actor, { taskId, jobId, params }: AskedAnnotation): Promise<void> {
    const scopes =
      params.type === 'annotate_task' ? (['view:data', 'update:annotations'] as const) : (['view:data'] as const);
    if (jobId == null) await this.tasks.require(tx, actor, taskId, ...scopes);
    else for (const scope of scopes) await this.jobs.require(tx, actor, jobId, scope);
    await this.targets.require(tx, { taskId, jobId: jobId ?? null, params });
  }

  /** Runs in the background; if it fails, upkeep does it. */
  private settle(end: () => Promise<boolean>): void {
    void end()
      .then(() => this.notifier.notify('functions'))
      .catch(() => undefined);
  }
}

/** What agents report that have removed a state, after eight hours without a frame. */
const STATE_EXPIRED = /^Invalid annotation request: Tracking state .* not found/;

function reasonOf(error: string): 'agent' | 'timeout' | 'state lost' {
  if (error === NO_ANSWER) return 'timeout';
  return error === STATE_LOST || STATE_EXPIRED.test(error) ? 'state lost' : 'agent';
}

/** Without prompts, shapes and states, which can be long. */
function loggedParameters(params: RequestParams): object {
  if (params.type === 'annotate_task' || params.type === 'annotate_frame') {
    const { type, threshold, conv_mask_to_poly: convert } = params;
    return { type, threshold, conv_mask_to_poly: convert, ...('frame' in params ? { frame: params.frame } : {}) };
  }
  return { type: params.type, frame: params.frame };
}
