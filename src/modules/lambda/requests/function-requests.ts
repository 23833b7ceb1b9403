import { Injectable } from '@nestjs/common';
import { requireAll } from '../../../core/access/require.js';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { ChangeLog } from '../../../core/event-log/change-log.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { ApiError, InvalidString, NotFound, OperationInProgress } from '../../../core/http/errors/errors.js';
import { raw, type Sql, sql } from '../../../engines/sql/sql.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { lambdaPolicy, type LambdaScope } from '../../../shared/policy/lambda.policy.js';
import { BackgroundRequests, RequestRepository } from '../../requests/index.js';
import { batchMappingOf, maxDistanceOf, readFlag, regionOf, thresholdOf } from '../call-body.js';
import type { CreateFunctionCallDto, FunctionCallDto } from '../lambda.dto.js';
import { type LambdaFunction, shortened } from '../lambda-function.js';
import { LambdaFunctions } from '../lambda-functions.js';
import { type LambdaTarget, LambdaTargets } from '../lambda-targets.js';
import { NativeFunctions } from '../native-functions/native-functions.js';
import {
  ANNOTATE,
  type AnnotateParameters,
  FunctionRequestRepository,
  type FunctionRequestRow,
  requestIdOfTask,
  taskOfRequestId,
  toFunctionCall,
} from './function-request.repository.js';

/** A request to be queued. */
interface Order {
  readonly actor: Actor;
  readonly called: LambdaFunction;
  readonly target: LambdaTarget;
  readonly parameters: AnnotateParameters;
}

/** Queues and cancels requests. */
@Injectable()
export class RequestQueue {
  constructor(
    private readonly work: UnitOfWork,
    private readonly rows: FunctionRequestRepository,
    private readonly background: BackgroundRequests,
    private readonly requests: RequestRepository,
    private readonly native: NativeFunctions,
    private readonly changes: ChangeLog,
  ) {}

  /** @throws ApiError 409 if the task has a request that has not ended */
  async add(order: Order): Promise<void> {
    const { taskId } = order.target;
    await this.work.run(async (tx) => {
      await this.rows.lock(tx, taskId);
      const known = await this.rows.ofTask(tx, taskId, tx.now);
      if (known?.status === 'queued' || known?.status === 'started') throw alreadyRunning(taskId);
      await this.forgetEnded(tx, taskId);
      if (order.called.provider === 'native') await this.addNative(tx, order);
      else await this.addHttp(tx, order);
    });
  }

  private async addHttp(tx: Tx, { actor, target, parameters }: Order): Promise<void> {
    const { taskId, jobId, projectId, organizationId } = target;
    const id = requestIdOfTask(taskId);
    const subject = { target: 'task', projectId, taskId, jobId, organizationId } as const;
    try {
      await this.background.enqueue(tx, actor, { id, type: ANNOTATE, ...subject, parameters });
    } catch (error) {
      // A cancelled request keeps its row until its worker has stopped.
      throw error instanceof OperationInProgress ? alreadyRunning(taskId) : error;
    }
    const { functionId, threshold, cleanup } = parameters;
    const call = { function: { id: functionId }, category: 'batch', parameters: { threshold, cleanup } };
    const object = { ...call, task_id: taskId, job_id: jobId };
    this.changes.record(tx, actor, 'call:function', { object }, { organizationId, projectId, taskId });
  }

  private async addNative(tx: Tx, { actor, called, target, parameters }: Order): Promise<void> {
    const { threshold, masksToPolygons, region, cleanup } = parameters;
    const mapping = batchMappingOf(parameters.mapping, called, target, this.native.rules({ masksToPolygons }));
    const call = { mapping, threshold, masksToPolygons, region };
    await this.native.annotate(tx, actor, { called, call, target, cleanup });
  }

  /** Cancels a request that has not ended. One that has stays, so that its requester learns how it ended. */
  async cancel({ task_id: taskId, queued_id: queuedId }: FunctionRequestRow): Promise<void> {
    if (queuedId === null) await this.work.run((tx) => this.background.cancel(tx, requestIdOfTask(taskId)));
    else await this.native.cancel(queuedId);
  }

  private async forgetEnded(tx: Tx, taskId: number): Promise<void> {
    await Promise.all([this.rows.forgetQueued(tx, taskId), this.requests.forgetEnded(tx, requestIdOfTask(taskId))]);
  }
}

const alreadyRunning = (taskId: number): ApiError =>
  new ApiError(409, `Only one running request is allowed for the same task #${taskId}`);

/** Requests that annotate a task or job in the background. */
@Injectable()
export class FunctionRequests {
  constructor(
    private readonly db: Db,
    private readonly rows: FunctionRequestRepository,
    private readonly functions: LambdaFunctions,
    private readonly targets: LambdaTargets,
    private readonly queue: RequestQueue,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 409 if the task already has a request that has not ended */
  async create(actor: Actor, body: Unvalidated<CreateFunctionCallDto>): Promise<FunctionCallDto> {
    const { raw: sent } = body;
    const functionId = functionIdIn(sent);
    if (sent['task'] === undefined || sent['task'] === null)
      throw new InvalidString(`\`${shortened(functionId)}\` lambda function was run with wrong arguments ('task')`);
    const target = await this.targets.require(actor, sent, 'call:offline', functionId);
    const called = await this.functions.find(actor, functionId);
    const parameters = this.parametersOf(called, target, sent);
    await this.queue.add({ actor, called, target, parameters });
    return toFunctionCall(await this.find(target.taskId));
  }

  private parametersOf(
    called: LambdaFunction,
    target: LambdaTarget,
    sent: Readonly<Record<string, unknown>>,
  ): AnnotateParameters {
    if (called.kind !== 'detector' && called.kind !== 'reid')
      throw new InvalidString(`A function of the kind ${called.kind} cannot annotate a task`);
    const masksToPolygons = readFlag(sent, 'conv_mask_to_poly') || readFlag(sent, 'convMaskToPoly');
    const rules = this.functions.providerOf(called).rules({ masksToPolygons });
    if (called.kind === 'detector') batchMappingOf(sent['mapping'], called, target, rules);
    return {
      functionId: called.id,
      threshold: thresholdOf(sent),
      cleanup: readFlag(sent, 'cleanup'),
      requested: this.clock.now().toISOString(),
      masksToPolygons,
      mapping: sent['mapping'] ?? null,
      maxDistance: maxDistanceOf(sent),
      region: regionOf(sent),
      nextFrame: 0,
      isCleaned: false,
    };
  }

  /** Requests of tasks that the actor may see, except failed ones. */
  async list(actor: Actor): Promise<FunctionCallDto[]> {
    const found = await this.rows.visible(this.db, actor, organizationOf(actor), this.clock.now());
    return found.map(toFunctionCall);
  }

  async get(actor: Actor, id: string): Promise<FunctionCallDto> {
    return toFunctionCall(await this.require(actor, id, 'view:request'));
  }

  /** Cancels a request that has not ended; otherwise does nothing. */
  async cancel(actor: Actor, id: string): Promise<void> {
    await this.queue.cancel(await this.require(actor, id, 'cancel:request'));
  }

  private async require(actor: Actor, id: string, scope: LambdaScope): Promise<FunctionRequestRow> {
    const taskId = taskOfRequestId(id);
    const row = taskId === undefined ? undefined : await this.rows.ofTask(this.db, taskId, this.clock.now());
    if (row === undefined) throw unknownRequest(id);
    const facts = await this.targets.facts(actor, { task: row.task_id, job: row.job_id });
    requireAll(lambdaPolicy, [scope], actor, { ...facts, requesterId: row.owner_id });
    return row;
  }

  private async find(taskId: number): Promise<FunctionRequestRow> {
    const row = await this.rows.ofTask(this.db, taskId, this.clock.now());
    if (row === undefined) throw NotFound.of('Request');
    return row;
  }
}

/** Apps may send the id of an agent's function as a number. @throws InvalidString */
function functionIdIn({ function: id }: Readonly<Record<string, unknown>>): string {
  if ((typeof id === 'string' && id !== '') || typeof id === 'number') return String(id);
  throw new InvalidString('function must name a function');
}

const unknownRequest = (id: string): ApiError => new ApiError(404, `${id.slice(0, 200)} lambda job is not found`);

/** The condition for the organization that the request names, if any. */
function organizationOf({ context }: Actor): Sql {
  if (context.kind === 'any') return raw('true');
  return context.kind === 'sandbox' ? raw('task.organization_id is null') : sql`task.organization_id = ${context.id}`;
}
