import { Injectable } from '@nestjs/common';
import { Actors } from '../../../core/access/actors.js';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { validated, type ReadJson } from '../../../core/http/body/body.js';
import { ApiError, Forbidden, Invalid, NotFound } from '../../../core/http/errors/errors.js';
import { Notifier } from '../../../core/worker/notifier.js';
import { refusalOf } from '../../../engines/functions/refusal.js';
import type { RequestParams } from '../../../engines/functions/request-params.js';
import { isObject } from '../../../engines/functions/response-item.js';
import {
  onFrames,
  readToolResult,
  requireMasksInFrame,
  ResultInvalid,
  shiftShapes,
} from '../../../engines/functions/result.js';
import { emptyData, type LabeledData } from '../../../shared/annotations/model.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { AnnotationService, readAnnotations } from '../../annotations/index.js';
import { JobService } from '../../jobs/index.js';
import { TaskService } from '../../tasks/index.js';
import { type Agent, AnnotationRequestRepository, type AnnotationRequestRow } from './annotation-request.repository.js';
import { AnnotationTargets } from './annotation-targets.js';
import { AgentDto } from './queue.dto.js';
import { isOf, notAssigned, QueueService } from './queue.service.js';

/** Results that fit their request. */
type Results =
  | { readonly row: AnnotationRequestRow; readonly annotations: LabeledData }
  | { readonly row: AnnotationRequestRow; readonly result: object };

/** Accepts the results of agents. */
@Injectable()
export class QueueCompletion {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly rows: AnnotationRequestRepository,
    private readonly queues: QueueService,
    private readonly targets: AnnotationTargets,
    private readonly annotations: AnnotationService,
    private readonly tasks: TaskService,
    private readonly jobs: JobService,
    private readonly actors: Actors,
    private readonly notifier: Notifier,
    private readonly clock: Clock,
  ) {}

  /**
   * Saves the results of a request and finishes it, in one transaction. An agent that has lost the response may send the
   * results again.
   * @throws NotFound, Forbidden; ApiError 400 for results that do not fit, 409 if the agent does not hold the request
   */
  async complete(actor: Actor, queue: string, id: string, read: ReadJson): Promise<void> {
    const functionId = await this.queues.require(actor, queue);
    const received = await read(async (body) => {
      const { agent_id: agentId } = validated(AgentDto, isObject(body) ? body : {});
      const agent = { functionId, agentId, userId: actor.id };
      const row = await this.queues.find(functionId, id);
      if (!isOf(row, agent) || (row.status !== 'started' && row.status !== 'finished')) throw notAssigned();
      return row.status === 'finished' ? null : { agent, results: await this.results(row, body as object) };
    });
    if (received === null) return;
    const { agent, results } = received;
    await this.queues.keepBatch(agent); // saving takes time, and the agent may hold two requests
    await this.finish(agent, results);
    this.notifier.notify('functions');
  }

  /** @throws ApiError 400; the reason is stored, because the agent reports only the status */
  private async results(row: AnnotationRequestRow, body: object): Promise<Results> {
    try {
      const { params } = row;
      if (params.type === 'annotate_task') return { row, annotations: await this.taskResult(row, params, body) };
      if (params.type === 'annotate_frame') return { row, result: await this.frameResult(row, params, body) };
      const size = await this.targets.frameSize(this.db, row.task_id, params.frame);
      return { row, result: readToolResult(params, body as Readonly<Record<string, unknown>>, size) };
    } catch (error) {
      const refusal = error instanceof ResultInvalid ? new Invalid({ [error.field]: [error.message] }) : error;
      if (refusal instanceof ApiError) await this.reject(row, refusal);
      throw refusal;
    }
  }

  /** Frames outside the job of the request, or deleted in the meantime, are left out later. */
  private async taskResult(
    row: AnnotationRequestRow,
    params: Extract<RequestParams, { type: 'annotate_task' }>,
    body: object,
  ): Promise<LabeledData> {
    const data = await readDetections(params, body);
    await this.targets.requireMapped(this.db, row.task_id, params, data);
    const size = await this.targets.frameCount(this.db, row.task_id);
    const other = [...data.tags, ...data.shapes].find(({ frame }) => frame >= size);
    if (other === undefined) return data;
    throw new ResultInvalid(
      'annotations',
      `There are annotations on frame ${other.frame}, which the task does not have.`,
    );
  }

  private async frameResult(
    row: AnnotationRequestRow,
    params: Extract<RequestParams, { type: 'annotate_frame' }>,
    body: object,
  ): Promise<object> {
    const data = await readDetections(params, body);
    if ([...data.tags, ...data.shapes].some(({ frame }) => frame !== params.frame))
      throw new ResultInvalid('annotations', `There are annotations on other frames than ${params.frame}.`);
    requireMasksInFrame('annotations', data.shapes, await this.targets.frameSize(this.db, row.task_id, params.frame));
    await this.annotations.requireLabels(this.db, row.task_id, data);
    await this.targets.requireMapped(this.db, row.task_id, params, data);
    const { tags, shapes } = data;
    return { version: 0, tags, shapes, tracks: [] };
  }

  private async finish(agent: Agent, results: Results): Promise<void> {
    const { row } = results;
    try {
      await this.work.run(async (tx) => {
        if ('annotations' in results) await this.save(tx, row, results.annotations);
        const result = 'result' in results ? results.result : null;
        const ending = { status: 'finished', result, now: tx.now } as const;
        if (!(await this.rows.endHeld(tx, agent, row.id, ending))) throw notAssigned();
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const now = await this.queues.find(row.function_id, row.id);
      if (now.status === 'finished' && isOf(now, agent)) return; // the agent has sent the results twice at the same time
      if (error instanceof Forbidden || error instanceof NotFound) {
        const ending = { status: 'failed', error: refusalText(error), now: this.clock.now() } as const;
        await this.rows.endHeld(this.db, agent, row.id, ending);
        this.notifier.notify('functions');
        throw notAssigned();
      }
      if (error.status === 400) await this.reject(row, error);
      throw error;
    }
  }

  /**
   * Saves annotations as whoever made the request, who must still have the permission. Annotations are locked before the
   * request, as deletions do it.
   */
  private async save(tx: Tx, row: AnnotationRequestRow, data: LabeledData): Promise<void> {
    const owner = await this.actors.load(tx, row.owner_id, row.base_url, row.origin);
    if (owner === null) throw new Forbidden('The account that made the request no longer exists.');
    const { task_id: taskId, job_id: jobId } = row;
    if (jobId === null) await this.tasks.require(tx, owner, taskId, 'update:annotations');
    else await this.jobs.require(tx, owner, jobId, 'update:annotations');
    const isWanted = await this.targets.frames(tx, { taskId, jobId });
    const target = jobId === null ? ({ kind: 'task', id: taskId } as const) : ({ kind: 'job', id: jobId } as const);
    await this.annotations.add(tx, owner, target, onFrames(data, isWanted), row.cleanup ? row.created_date : null);
  }

  private reject(row: AnnotationRequestRow, { body }: ApiError): Promise<void> {
    return this.rows.reject(this.db, row.row_id, `The results of the agent were refused: ${refusalOf(body)}`);
  }
}

/** @throws ApiError 400 */
async function readDetections(
  { roi }: Extract<RequestParams, { type: 'annotate_task' | 'annotate_frame' }>,
  body: object,
): Promise<LabeledData> {
  const { annotations } = body as { readonly annotations?: unknown };
  if (annotations === undefined) throw new Invalid({ annotations: ['This field is required.'] });
  const { tags, shapes } = await readAnnotations(annotations, 'create');
  if (roi !== undefined) shiftShapes(shapes, roi);
  for (const one of [...tags, ...shapes, ...shapes.flatMap(({ elements }) => elements)]) one.source = 'auto';
  return { ...emptyData(), tags, shapes };
}

function refusalText({ body }: ApiError): string {
  const { detail } = (body ?? {}) as { readonly detail?: unknown };
  return typeof detail === 'string' ? detail : 'The annotations could not be saved.';
}
