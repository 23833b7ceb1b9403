import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import type { Queryable } from '../../../core/database/db.js';
import { HoldsLeases, type LeaseTable, LiveProcesses } from '../../../core/worker/live-processes.js';
import { type Sql, sql } from '../../../engines/sql/sql.js';

/** A sign that a function has an agent. */
export interface AgentSign {
  readonly functionId: number;
  /** The id of an agent that asks for work, or of a stream. */
  readonly key: string;
}

/** An open stream. */
export interface StreamSign extends AgentSign {
  readonly userId: number;
  /** The client that has opened it (`clientOf`); null if the request did not tell. */
  readonly client: string | null;
}

/** After this time without a sign, a function has no agent. */
const SEEN_MS = 120_000;
/** Signs are stored again only after this time, because agents ask for work often. */
const AGAIN_MS = 30_000;

/** Whether an open stream could be that of the agent that holds a request. */
export const hasStream = (now: Date): Sql => sql`exists (select from function_agent stream
  where stream.function_id = annotation_request.function_id and stream.user_id = annotation_request.agent_user_id
    and (stream.client is null or stream.client = annotation_request.agent_client)
    and (stream.holder is not null or stream.expiry_date > ${now}))`;

/** Which functions have agents, and the open streams of these. */
@Injectable()
@HoldsLeases()
export class AgentRepository implements LeaseTable {
  readonly holders = sql`select holder from function_agent where holder is not null`;

  constructor(
    private readonly processes: LiveProcesses,
    private readonly clock: Clock,
  ) {}

  /** Stores that an agent has asked for work, unless it has done so recently. */
  async asked(db: Queryable, { functionId, key }: AgentSign, now: Date): Promise<void> {
    await db.query(sql`
      insert into function_agent (function_id, key, expiry_date)
      values (${functionId}, ${key}, ${new Date(now.getTime() + SEEN_MS)})
      on conflict (function_id, key) do update set expiry_date = excluded.expiry_date
      where function_agent.expiry_date < ${new Date(now.getTime() + SEEN_MS - AGAIN_MS)}`);
  }

  /** Stores open streams of this process. The client of a stream that is already stored does not change. */
  async streaming(db: Queryable, streams: readonly StreamSign[], now: Date): Promise<void> {
    const sorted = streams.toSorted((a, b) => a.functionId - b.functionId || (a.key < b.key ? -1 : 1));
    await db.query(sql`
      insert into function_agent (function_id, key, user_id, client, holder, opened_date, expiry_date)
      select function_id, key, user_id, client, ${this.processes.holder}::int, ${now}::timestamptz,
        ${new Date(now.getTime() + SEEN_MS)}::timestamptz
      from unnest(${sorted.map(({ functionId }) => functionId)}::int[], ${sorted.map(({ key }) => key)}::text[],
        ${sorted.map(({ userId }) => userId)}::int[], ${sorted.map(({ client }) => client)}::text[])
        as open(function_id, key, user_id, client)
      on conflict (function_id, key) do update set expiry_date = excluded.expiry_date, holder = excluded.holder
      where function_agent.expiry_date < ${new Date(now.getTime() + SEEN_MS - AGAIN_MS)}
        or function_agent.holder is distinct from excluded.holder`);
  }

  /** The agent that holds a request has 30 seconds from the end of its stream to connect again. */
  async closed(db: Queryable, { functionId, key }: AgentSign): Promise<void> {
    await this.remove(db, sql`function_id = ${functionId} and key = ${key}`);
  }

  async releaseLeases(db: Queryable, dead: readonly number[]): Promise<void> {
    await this.remove(db, sql`holder = any(${[...dead]}::int[])`);
  }

  /**
   * Assigns the newest stream that nobody owns to an agent whose requests do not say which stream is theirs, unless it
   * has one.
   */
  async claimStream(db: Queryable, functionId: number, userId: number, client: string): Promise<void> {
    await db.query(sql`
      update function_agent set client = ${client} where function_id = ${functionId} and key = (
        select key from function_agent where function_id = ${functionId} and user_id = ${userId} and client is null
        order by opened_date desc limit 1 for update skip locked)
      and not exists (
        select from function_agent mine
        where mine.function_id = ${functionId} and mine.user_id = ${userId} and mine.client = ${client})`);
  }

  async deleteExpired(db: Queryable, now: Date): Promise<void> {
    await db.query(sql`
      delete from function_agent where (function_id, key) in (
        select function_id, key from function_agent where expiry_date <= ${now} and holder is null
        for update skip locked)`);
  }

  private async remove(db: Queryable, condition: Sql): Promise<void> {
    await db.query(sql`
      with closed as (delete from function_agent where ${condition} returning function_id, user_id, client)
      update annotation_request set agent_seen_date = ${this.clock.now()}, agent_streamed = true from closed
      where annotation_request.status in ('queued', 'started') and annotation_request.status = 'started'
        and annotation_request.function_id = closed.function_id and annotation_request.agent_user_id = closed.user_id
        and coalesce(annotation_request.agent_client = closed.client, closed.client is null)`);
  }
}
