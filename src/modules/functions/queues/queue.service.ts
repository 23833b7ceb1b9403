import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { ApiError, Forbidden, NotFound } from '../../../core/http/errors/errors.js';
import { namedId } from '../../../core/http/request/ids.js';
import { Notifier } from '../../../core/worker/notifier.js';
import { type Category, paramsForAgent } from '../../../engines/functions/request-params.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { TaskService } from '../../tasks/index.js';
import { FunctionService } from '../function.service.js';
import { AgentRepository } from './agent.repository.js';
import {
  type Agent,
  type AnnotationRequestRow,
  AnnotationRequestRepository,
  type CallingAgent,
  STOPPED_RESPONDING,
} from './annotation-request.repository.js';
import type { AcquireRequestDto, AssignmentDto, FailRequestDto, ReportProgressDto } from './queue.dto.js';

/**
 * How often an agent can receive the same request. It asks again if the response was lost, or if it could report neither
 * results nor a failure.
 */
const MAX_HANDOVERS = 4;
const MAX_ERROR_LENGTH = 4_000;
const QUEUE_ID = /^function:(\d+)$/;
/** What agents report after a response with this status. */
const REFUSED = /^Received HTTP status 4\d\d$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The response to an agent that does not hold the request, or no longer. */
export const notAssigned = (): ApiError => new ApiError(409, { detail: 'The request is not assigned to this agent.' });

/** Whether the agent holds the request, or has ended it. */
export const isOf = (row: AnnotationRequestRow, agent: Agent): boolean =>
  row.agent_id === agent.agentId && row.agent_user_id === agent.userId;

/** Hands out the requests in the queue of a function to its agents. */
@Injectable()
export class QueueService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly rows: AnnotationRequestRepository,
    private readonly agents: AgentRepository,
    private readonly functions: FunctionService,
    private readonly tasks: TaskService,
    private readonly notifier: Notifier,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @param queue `function:7`. @returns the id of the function. @throws NotFound, Forbidden */
  async require(actor: Actor, queue: string): Promise<number> {
    const [, id] = QUEUE_ID.exec(queue) ?? [];
    if (id === undefined) throw new NotFound();
    const functionId = namedId(id) ?? 0;
    await this.functions.require(this.db, actor, functionId, 'serve');
    return functionId;
  }

  /** A request of the queue. @throws NotFound */
  async find(functionId: number, id: string): Promise<AnnotationRequestRow> {
    const row = UUID.test(id) ? await this.rows.find(this.db, id) : undefined;
    if (row?.function_id !== functionId) throw NotFound.of('AnnotationRequest');
    return row;
  }

  /**
   * Assigns the oldest request of a category to the agent, or the one that it already holds. If there is none, the agent
   * gets that of another agent which is gone.
   * @param client the one that the request names (`clientOf`)
   */
  async acquire(
    actor: Actor,
    queue: string,
    client: string | null,
    body: Unvalidated<AcquireRequestDto>,
  ): Promise<AssignmentDto> {
    const functionId = await this.require(actor, queue);
    const { agent_id: agentId, request_category: category } = body.validate();
    const agent = { functionId, agentId, userId: actor.id, client: client ?? `agent ${agentId}` };
    const now = this.clock.now();
    if (client === null) await this.agents.claimStream(this.db, functionId, actor.id, agent.client);
    await this.rows.seen(this.db, agent, now);
    const [hasWork] = await Promise.all([
      this.rows.hasWork(this.db, agent, category, now),
      this.agents.asked(this.db, { functionId, key: agentId }, now),
    ]);
    if (!hasWork) return { ar_assignment: null };
    for (;;) {
      const next = await this.work.run((tx) => this.assignNext(tx, actor, agent, category));
      if (next !== 'failed') return { ar_assignment: next };
      this.notifier.notify('functions');
    }
  }

  async report(actor: Actor, queue: string, id: string, body: Unvalidated<ReportProgressDto>): Promise<void> {
    const functionId = await this.require(actor, queue);
    const { agent_id: agentId, progress } = body.validate();
    await this.find(functionId, id);
    const agent = { functionId, agentId, userId: actor.id };
    await this.rows.seen(this.db, agent, this.clock.now());
    if (!(await this.rows.report(this.db, agent, id, progress, this.leaseEnd()))) throw notAssigned();
  }

  async fail(actor: Actor, queue: string, id: string, body: Unvalidated<FailRequestDto>): Promise<void> {
    const functionId = await this.require(actor, queue);
    const { agent_id: agentId, exc_info: reported } = body.validate();
    const row = await this.find(functionId, id);
    const agent = { functionId, agentId, userId: actor.id };
    if (row.status === 'failed' && isOf(row, agent)) return; // the agent repeats what was lost
    const error = row.rejection !== null && REFUSED.test(reported) ? row.rejection : reported;
    const ending = { status: 'failed', error: error.slice(0, MAX_ERROR_LENGTH), now: this.clock.now() } as const;
    if (!(await this.rows.endHeld(this.db, agent, id, ending))) throw notAssigned();
    // An agent processes interactive requests between two frames of a batch request.
    if (row.category === 'interactive') await this.keepBatch(agent);
    this.notifier.notify('functions');
  }

  /** Extends the lease of the batch request that the agent holds, if any, after a sign of life. */
  async keepBatch(agent: Agent): Promise<void> {
    await this.rows.seen(this.db, agent, this.clock.now());
    await this.rows.extendBatch(this.db, agent, this.leaseEnd());
  }

  /** @returns null if nothing is queued; `failed` if the next request cannot be assigned to anybody */
  private async assignNext(
    tx: Tx,
    actor: Actor,
    agent: CallingAgent,
    category: Category,
  ): Promise<AssignmentDto['ar_assignment'] | 'failed'> {
    let row = await this.rows.lockNext(tx, agent, category);
    if (row === undefined && (await this.rows.releaseAbandoned(tx, agent.functionId, tx.now)))
      row = await this.rows.lockNext(tx, agent, category);
    if (row === undefined) return null;
    const error = row.handovers >= MAX_HANDOVERS ? STOPPED_RESPONDING : await this.obstacle(tx, actor, row);
    if (error !== null) {
      await this.rows.endOpen(tx, row.row_id, { status: 'failed', error, now: tx.now });
      return 'failed';
    }
    await this.rows.assign(tx, row.row_id, agent, category === 'batch' ? this.leaseEnd() : null);
    if (category === 'interactive') await this.rows.extendBatch(tx, agent, this.leaseEnd());
    return { ar_id: row.id, ar_params: paramsForAgent(row.task_id, row.params) };
  }

  /** Agents read the task with the account that runs them. @returns why that is not possible */
  private async obstacle(tx: Tx, actor: Actor, { task_id: taskId }: AnnotationRequestRow): Promise<string | null> {
    try {
      await this.tasks.require(
        tx,
        { ...actor, context: { kind: 'any' } },
        taskId,
        'view',
        'view:data',
        'view:metadata',
      );
      return null;
    } catch (error) {
      if (!(error instanceof Forbidden)) throw error;
      return `The agent runs with the account ${actor.username}, which cannot view task ${taskId}.`;
    }
  }

  private leaseEnd(): Date {
    return new Date(this.clock.now().getTime() + this.config.agents.leaseMs);
  }
}
