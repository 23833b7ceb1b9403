import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import type { Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { Backlogged } from '../../../core/metrics/backlogs.js';
import type { Category, RequestParams, RequestType } from '../../../engines/functions/request-params.js';
import { type Sql, sql } from '../../../engines/sql/sql.js';
import type { RequestOrigin } from '../../../shared/policy/actor.js';
import { hasStream } from './agent.repository.js';

const COLUMNS = sql`annotation_request.row_id, annotation_request.id, annotation_request.function_id,
  annotation_request.category, annotation_request.type, annotation_request.status, annotation_request.task_id,
  annotation_request.job_id, annotation_request.params, annotation_request.cleanup, annotation_request.owner_id,
  annotation_request.base_url, annotation_request.origin, annotation_request.agent_id, annotation_request.agent_user_id,
  annotation_request.handovers, annotation_request.progress, annotation_request.error, annotation_request.rejection,
  annotation_request.created_date, annotation_request.started_date, annotation_request.finished_date`;

export type RequestStatus = 'queued' | 'started' | 'finished' | 'failed' | 'cancelled';

export interface AnnotationRequestRow {
  readonly row_id: number;
  readonly id: string;
  readonly function_id: number;
  readonly category: Category;
  readonly type: RequestType;
  readonly status: RequestStatus;
  readonly task_id: number;
  readonly job_id: number | null;
  readonly params: RequestParams;
  readonly cleanup: boolean;
  readonly owner_id: number | null;
  readonly base_url: string;
  readonly origin: RequestOrigin | null;
  readonly agent_id: string | null;
  readonly agent_user_id: number | null;
  readonly handovers: number;
  /** 0 to 1. */
  readonly progress: number;
  /** Safe to show to whoever made the request. */
  readonly error: string;
  readonly rejection: string | null;
  readonly created_date: string;
  readonly started_date: string | null;
  readonly finished_date: string | null;
}

export interface NewAnnotationRequest {
  readonly id: string;
  readonly functionId: number;
  readonly category: Category;
  readonly params: RequestParams;
  readonly taskId: number;
  readonly jobId: number | null;
  readonly cleanup: boolean;
  readonly ownerId: number;
  readonly baseUrl: string;
  readonly origin: RequestOrigin | null;
  readonly pinnedAgent: string | null;
  /** When the request fails; null for batch requests. */
  readonly deadline: Date | null;
}

/** An agent and the account that runs it. Only both together can end a request. */
export interface Agent {
  readonly functionId: number;
  readonly agentId: string;
  readonly userId: number;
}

/** An agent that makes a call. */
export interface CallingAgent extends Agent {
  /** Also that of its streams (`clientOf`). */
  readonly client: string;
}

/** How a request ends. */
export interface RequestEnding {
  readonly status: 'finished' | 'failed' | 'cancelled';
  readonly error?: string;
  readonly result?: object | null;
  readonly now: Date;
}

/** The results of interactive requests are read within seconds; lists show batch requests for three hours. */
const KEPT = sql`case category when 'batch' then interval '3 hours' else interval '10 minutes' end`;
const OPEN = sql`annotation_request.status in ('queued', 'started')`; // matches the partial index
/** An agent that loses a request this many times fails it. */
const MAX_LOST_LEASES = 3;

/** An agent that neither calls nor has a stream for this time is gone. */
const SILENT_MS = 30_000;

export const STOPPED_RESPONDING = 'The agent stopped responding.';
export const STATE_LOST = 'The agent that tracks this object is gone. Start tracking again.';
export const NO_ANSWER = 'No agent responded within 60 seconds.';

const heldBy = ({ functionId, agentId, userId }: Agent): Sql => sql`annotation_request.function_id = ${functionId}
  and annotation_request.agent_id = ${agentId} and annotation_request.agent_user_id = ${userId}`;

/** The rows of annotation requests. */
@Injectable()
export class AnnotationRequestRepository {
  /** Agents could not call before. */
  private readonly startedDate: Date;

  constructor(clock: Clock) {
    this.startedDate = clock.now();
  }

  /** The columns without results, which can be long. */
  async find(db: Queryable, id: string): Promise<AnnotationRequestRow | undefined> {
    const [row] = await this.where(db, sql`annotation_request.id = ${id}::uuid`);
    return row;
  }

  /** @param condition on the tables `annotation_request` and `task`; newest first */
  where(db: Queryable, condition: Sql): Promise<AnnotationRequestRow[]> {
    return db.query<AnnotationRequestRow>(sql`
      select ${COLUMNS} from annotation_request join task on task.id = annotation_request.task_id
      where ${condition} order by annotation_request.row_id desc`);
  }

  /** @returns false if the task already has a batch request that has not ended */
  async insert(tx: Tx, one: NewAnnotationRequest): Promise<boolean> {
    const rows = await tx.query(sql`
      insert into annotation_request (id, function_id, category, type, task_id, job_id, params, cleanup, owner_id,
        base_url, origin, pinned_agent, lease_end, created_date)
      values (${one.id}::uuid, ${one.functionId}, ${one.category}, ${one.params.type}, ${one.taskId}, ${one.jobId},
        ${JSON.stringify(one.params)}::jsonb, ${one.cleanup}, ${one.ownerId}, ${one.baseUrl},
        ${one.origin === null ? null : JSON.stringify(one.origin)}::json, ${one.pinnedAgent}, ${one.deadline}, ${tx.now})
      on conflict (task_id) where category = 'batch' and status in ('queued', 'started') do nothing returning 1`);
    return rows.length > 0;
  }

  /** Whether the queue has anything for this agent, so that polling an empty queue takes no transaction. */
  async hasWork(db: Queryable, agent: Agent, category: Category, now: Date): Promise<boolean> {
    const rows = await db.query(sql`
      select from annotation_request where function_id = ${agent.functionId} and category = ${category} and ${OPEN}
        and (status = 'queued' or (${heldBy(agent)}) or (${this.isAbandoned(now)})) limit 1`);
    return rows.length > 0;
  }

  /** Stores that an agent is alive, which holds requests. */
  async seen(db: Queryable, agent: Agent, now: Date): Promise<void> {
    await db.query(sql`
      update annotation_request set agent_seen_date = ${now} where ${OPEN} and status = 'started' and ${heldBy(agent)}`);
  }

  /** Like `seen`, for calls that do not name the agent. */
  async clientSeen(db: Queryable, userId: number, client: string, now: Date): Promise<void> {
    await db.query(sql`
      update annotation_request set agent_seen_date = ${now}
      where ${OPEN} and status = 'started' and agent_client = ${client} and agent_user_id = ${userId}`);
  }

  /**
   * Locks what the agent holds in this category, otherwise the oldest queued request that it can process. Requests of an
   * agent are assigned one at a time.
   */
  async lockNext(tx: Tx, agent: Agent, category: Category): Promise<AnnotationRequestRow | undefined> {
    await tx.query(sql`
      select pg_advisory_xact_lock(hashtextextended(${`agent ${agent.functionId} ${agent.agentId} ${category}`}, 0))`);
    const inQueue = sql`annotation_request.function_id = ${agent.functionId}
      and annotation_request.category = ${category} and ${OPEN}`;
    const [held] = await tx.query<AnnotationRequestRow>(sql`
      select ${COLUMNS} from annotation_request where ${inQueue} and status = 'started' and ${heldBy(agent)}
      order by row_id limit 1 for update`);
    if (held !== undefined) return held;
    const [next] = await tx.query<AnnotationRequestRow>(sql`
      select ${COLUMNS} from annotation_request where ${inQueue} and status = 'queued'
        and (pinned_agent is null or pinned_agent = ${agent.agentId}) and (lease_end is null or lease_end > ${tx.now})
      order by row_id limit 1 for update skip locked`);
    return next;
  }

  /** Returns what agents without a sign of life hold to the queue of a function. */
  async releaseAbandoned(db: Queryable, functionId: number, now: Date): Promise<boolean> {
    return this.release(db, sql`annotation_request.function_id = ${functionId} and ${this.isAbandoned(now)}`, now);
  }

  /** Assigns a locked request. @param leaseEnd default: unchanged */
  async assign(tx: Tx, rowId: number, agent: CallingAgent, leaseEnd: Date | null): Promise<void> {
    await tx.query(sql`
      update annotation_request set status = 'started', agent_id = ${agent.agentId}, agent_user_id = ${agent.userId},
        agent_client = ${agent.client}, agent_seen_date = ${tx.now}, agent_streamed = false,
        handovers = handovers + 1, lease_end = coalesce(${leaseEnd}, lease_end),
        started_date = coalesce(started_date, ${tx.now})
      where row_id = ${rowId}`);
  }

  /** Extends the lease of the batch request that the agent holds, if any. */
  async extendBatch(db: Queryable, agent: Agent, leaseEnd: Date): Promise<void> {
    await db.query(sql`
      update annotation_request set lease_end = ${leaseEnd}
      where ${heldBy(agent)} and category = 'batch' and ${OPEN} and status = 'started'`);
  }

  /** @returns false unless the agent holds the request */
  async report(db: Queryable, agent: Agent, id: string, progress: number, leaseEnd: Date): Promise<boolean> {
    const rows = await db.query(sql`
      update annotation_request set progress = ${progress},
        lease_end = case category when 'batch' then ${leaseEnd} else lease_end end
      where id = ${id}::uuid and ${heldBy(agent)} and status = 'started' returning 1`);
    return rows.length > 0;
  }

  /** Stores why the results of a request were refused. */
  async reject(db: Queryable, rowId: number, reason: string): Promise<void> {
    await db.query(sql`
      update annotation_request set rejection = ${reason} where row_id = ${rowId} and status = 'started'`);
  }

  /** @returns false unless the agent holds the request */
  async endHeld(db: Queryable, agent: Agent, id: string, ending: RequestEnding): Promise<boolean> {
    return this.endWhere(db, sql`id = ${id}::uuid and ${heldBy(agent)} and status = 'started'`, ending);
  }

  /** @returns false if the request has ended */
  async endOpen(db: Queryable, rowId: number, ending: RequestEnding): Promise<boolean> {
    return this.endWhere(db, sql`row_id = ${rowId} and ${OPEN}`, ending);
  }

  /** Fails a request that only one agent can process, if that agent has neither taken it nor is busy with another one. */
  async failUnclaimed(db: Queryable, id: string, error: string, now: Date): Promise<boolean> {
    const busy = sql`exists (select from annotation_request held where held.function_id = annotation_request.function_id
      and held.agent_id = annotation_request.pinned_agent and held.status = 'started')`;
    return this.endWhere(db, sql`id = ${id}::uuid and status = 'queued' and pinned_agent is not null and not ${busy}`, {
      status: 'failed',
      error,
      now,
    });
  }

  /**
   * Releases requests past their lease or deadline, and those of agents whose stream has ended. An agent that never had a
   * stream may be working (`run-agent --burst`): it loses its request only to another one that asks for work.
   * @returns whether there were any
   */
  async expire(db: Queryable, now: Date): Promise<boolean> {
    return this.release(db, sql`lease_end < ${now} or (agent_streamed and ${this.isAbandoned(now)})`, now);
  }

  async deleteExpired(db: Queryable, now: Date): Promise<void> {
    await db.query(sql`delete from annotation_request where expiry_date < ${now}`);
  }

  @Backlogged('annotation requests')
  queued(): Sql {
    return sql`select count(*) as waiting, min(created_date) as oldest from annotation_request
      where ${OPEN} and status = 'queued'`;
  }

  /**
   * Returns requests to the queue: those of category batch unless they have been lost too often, and interactive ones
   * until their deadline unless only the lost agent can process them. The others fail.
   */
  private async release(db: Queryable, condition: Sql, now: Date): Promise<boolean> {
    const isInTime = sql`category = 'interactive' and lease_end >= ${now}`;
    const isLost = sql`(category = 'batch' and lost_leases + 1 < ${MAX_LOST_LEASES}::int
      or ${isInTime} and pinned_agent is null)`;
    const rows = await db.query(sql`
      update annotation_request set status = case when ${isLost} then 'queued' else 'failed' end,
        error = case when ${isLost} then '' when category = 'batch' then ${STOPPED_RESPONDING}
          when ${isInTime} then ${STATE_LOST} else ${NO_ANSWER} end,
        finished_date = case when ${isLost} then null else ${now}::timestamptz end,
        expiry_date = case when ${isLost} then null else ${now}::timestamptz + ${KEPT} end,
        lost_leases = lost_leases + 1, handovers = 0, progress = 0, agent_id = null, agent_user_id = null,
        agent_client = null, agent_seen_date = null, agent_streamed = false,
        lease_end = case when ${isLost} and ${isInTime} then lease_end end, rejection = null
      where row_id in (select row_id from annotation_request where ${OPEN} and (${condition}) for update skip locked)
      returning 1`);
    return rows.length > 0;
  }

  /**
   * Whether the agent that holds a request is gone. After a pause of the server, agents have as long again to connect,
   * because they wait longer from attempt to attempt.
   */
  private isAbandoned(now: Date): Sql {
    const seen = sql`agent_seen_date + 2 * greatest(${this.startedDate}::timestamptz - agent_seen_date, interval '0')`;
    return sql`status = 'started' and ${seen} < ${new Date(now.getTime() - SILENT_MS)} and not ${hasStream(now)}`;
  }

  private async endWhere(db: Queryable, condition: Sql, ending: RequestEnding): Promise<boolean> {
    const { status, error = '', result = null, now } = ending;
    const rows = await db.query(sql`
      update annotation_request set status = ${status}, error = ${error},
        result = ${result === null ? null : JSON.stringify(result)}::jsonb,
        progress = case ${status}::text when 'finished' then 1 else progress end,
        finished_date = ${now}, expiry_date = ${now}::timestamptz + ${KEPT}, lease_end = null
      where ${condition} returning 1`);
    return rows.length > 0;
  }
}
