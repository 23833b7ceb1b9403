import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { Clock } from '../clock.js';
import { DatabaseUnavailable } from '../database/database-client.js';
import { Db } from '../database/db.js';
import type { Tx } from '../database/tx.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { HoldsLeases, type LeaseTable, LiveProcesses } from '../worker/live-processes.js';

const KEPT_MS = 24 * 3_600_000;
/** How often a process renews the claims of its running requests. */
export const renewal = { everyMs: 10_000 };
/**
 * A claim that was not renewed for this long belonged to a process that died. Its request may run again, unless part of
 * it was committed. Clocks of servers may differ, and servers of an earlier version do not renew claims.
 */
const ABANDONED_MS = 10 * 60_000;
/**
 * The same for a claim without a holder. A process has none until it has its lock again after an outage of the database. If
 * it dies by then, nothing else tells that it is dead.
 */
const ABANDONED_WITHOUT_HOLDER_MS = 30_000;
const RETRY_MS = 500;
/** Requests that may have a key when the database is lost. */
const MAX_UNSETTLED = 1_000;

/** A request with a key. */
export interface KeyedRequest {
  /** 0 for anonymous requests. */
  readonly userId: number;
  readonly key: string;
  /** Distinguishes it from others with the same key. */
  readonly fingerprint: string;
  /** When it claimed the key. */
  readonly date: Date;
}

/** An earlier request with the same key. */
export interface EarlierRequest {
  readonly fingerprint: string;
  readonly committed: boolean;
  /** Null without a response. */
  readonly status: number | null;
  /** Encrypted. */
  readonly answer: Buffer | null;
  /** Whether no process handles it any more. */
  readonly abandoned: boolean;
}

/** The claim of a request that this process is running. */
interface Claim {
  readonly request: KeyedRequest;
  /** The dates that its row may have: it is unknown whether a renewal was committed if its connection was lost. */
  dates: Date[];
}

/** Keys in the database. Each is held by the request that claimed it, until its response is stored. */
@Injectable()
@HoldsLeases()
export class IdempotencyRepository implements LeaseTable {
  readonly holders = sql`select holder from idempotency_key where holder is not null and status is null`;

  /** Results that could not be stored, oldest first. */
  private readonly unsettled: Sql[] = [];
  /** By account and key. */
  private readonly running = new Map<string, Claim>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly db: Db,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly processes: LiveProcesses,
    private readonly clock: Clock,
  ) {}

  async releaseLeases(db: Db, dead: readonly number[]): Promise<void> {
    await db.query(sql`
      update idempotency_key set ${ABANDON} where holder = any(${[...dead]}::int[]) and status is null`);
  }

  /**
   * Claims the key of a request: one that is new, expired, or whose request was abandoned before it had changed anything.
   * @returns the earlier request that has the key; undefined if it is claimed
   */
  async claim(request: KeyedRequest): Promise<EarlierRequest | undefined> {
    try {
      const earlier = await this.tryToClaim(request);
      if (earlier === undefined) this.running.set(nameOf(request), { request, dates: [request.date] });
      this.renewLater();
      return earlier;
    } catch (error) {
      // The key may have been claimed before the connection was lost, although the request does not run.
      if (error instanceof DatabaseUnavailable) this.settleLater(released(ownRow(request, [request.date])));
      throw error;
    }
  }

  private async tryToClaim(request: KeyedRequest): Promise<EarlierRequest | undefined> {
    const { userId, key, fingerprint, date } = request;
    const expired = new Date(date.getTime() - KEPT_MS);
    const abandoned = this.running.has(nameOf(request)) ? sql`false` : abandonedAt(date);
    const [mine] = await this.db.query(sql`
      with forgotten as (
        delete from idempotency_key where (user_id, key) in (
          select user_id, key from idempotency_key
          where created_date < ${expired} and not (user_id = ${userId} and key = ${key}) limit 10)
      )
      insert into idempotency_key (user_id, key, fingerprint, created_date, holder)
      values (${userId}, ${key}, ${fingerprint}, ${date}, ${this.processes.holder}::int)
      on conflict (user_id, key) do update
        set fingerprint = excluded.fingerprint, committed = false, status = null, answer = null,
          created_date = excluded.created_date, holder = excluded.holder
        where idempotency_key.created_date < ${expired} or (
          ${abandoned} and idempotency_key.fingerprint = excluded.fingerprint
          and idempotency_key.status is null and not idempotency_key.committed)
      returning 1`);
    if (mine !== undefined) return undefined;
    const [earlier] = await this.db.query<EarlierRequest>(sql`
      select fingerprint, committed, status, answer, ${abandoned} as abandoned
      from idempotency_key where ${rowOf(request)}`);
    return earlier ?? this.tryToClaim(request);
  }

  /** After this commit, the request never runs again. */
  markCommitted(tx: Tx, request: KeyedRequest): void {
    tx.write(sql`update idempotency_key set committed = true where ${rowOf(request)}`);
  }

  /** Stores the response for repetitions. @param answer encrypted */
  store(request: KeyedRequest, { status, answer }: { status: number; answer: Buffer }): Promise<void> {
    return this.settle(
      request,
      (row) => sql`update idempotency_key set status = ${status}, answer = ${answer} where ${row}`,
    );
  }

  /** Releases the key of a refused request. If part of it was committed, its response counts as lost. */
  release(request: KeyedRequest): Promise<void> {
    return this.settle(request, released);
  }

  /** No longer renews the claim of a request, whose response was cut off. */
  forget(request: KeyedRequest): Claim | undefined {
    const claim = this.running.get(nameOf(request));
    if (claim?.request !== request) return undefined;
    this.running.delete(nameOf(request));
    return claim;
  }

  /** Never fails: while the database is down, the request gets its response, and this is repeated. */
  private async settle(request: KeyedRequest, outcome: (row: Sql) => Sql): Promise<void> {
    const { dates } = this.forget(request) ?? { dates: [request.date] };
    try {
      await this.db.query(outcome(rowOf(request)));
    } catch (error) {
      this.log.warn({ err: error }, 'a response could not be stored for its Idempotency-Key');
      if (error instanceof DatabaseUnavailable) this.settleLater(outcome(ownRow(request, dates)));
    }
  }

  private renewLater(): void {
    if (this.running.size === 0) return;
    this.timer ??= setTimeout(() => {
      void this.renew().finally(() => {
        this.timer = undefined;
        this.renewLater();
      });
    }, renewal.everyMs).unref();
  }

  /** Renews the claims of all running requests, so that they do not count as abandoned. */
  private async renew(): Promise<void> {
    const now = this.clock.now();
    const claims = [...this.running.values()];
    const rows = claims.flatMap(({ request, dates }) => dates.map((date) => ({ ...request, date })));
    for (const { dates } of claims) dates.push(now);
    try {
      await this.db.query(sql`
        update idempotency_key set created_date = ${now}, holder = ${this.processes.holder}::int
        from unnest(${rows.map(({ userId }) => userId)}::int[], ${rows.map(({ key }) => key)}::text[],
          ${rows.map(({ date }) => date)}::timestamptz[]) as own(user_id, key, date)
        where idempotency_key.user_id = own.user_id and idempotency_key.key = own.key
          and idempotency_key.created_date = own.date and status is null`);
      for (const claim of claims) claim.dates = [now];
    } catch (error) {
      this.log.warn({ err: error }, 'the Idempotency-Keys of running requests could not be renewed');
    }
  }

  /** Executes the statement when the database is back. */
  private settleLater(outcome: Sql): void {
    if (this.unsettled.length === MAX_UNSETTLED) return; // the key stays in use until it counts as abandoned
    this.unsettled.push(outcome);
    if (this.unsettled.length === 1) void this.settleAll();
  }

  private async settleAll(): Promise<void> {
    for (let [next] = this.unsettled; next !== undefined; [next] = this.unsettled) {
      try {
        await this.db.query(next);
      } catch (error) {
        if (error instanceof DatabaseUnavailable) {
          await pause(RETRY_MS, undefined, { ref: false });
          continue;
        }
        this.log.warn({ err: error }, 'a response was not stored for its Idempotency-Key');
      }
      this.unsettled.shift();
    }
  }
}

const rowOf = ({ userId, key }: KeyedRequest): Sql => sql`user_id = ${userId} and key = ${key}`;

/** An older state of the database may be restored, in which the key is unused and may be claimed by another request. */
const ownRow = (request: KeyedRequest, dates: readonly Date[]): Sql =>
  sql`${rowOf(request)} and created_date = any(${[...dates]}::timestamptz[])`;

/** Whether the request of a row was abandoned. */
const abandonedAt = (now: Date): Sql => {
  const before = (age: number): Date => new Date(now.getTime() - age);
  return sql`idempotency_key.created_date < case when idempotency_key.holder is null
    then ${before(ABANDONED_WITHOUT_HOLDER_MS)}::timestamptz else ${before(ABANDONED_MS)}::timestamptz end`;
};

const nameOf = ({ userId, key }: KeyedRequest): string => `${userId} ${key}`;

/** Nothing handles the request any more. */
const ABANDON = sql`created_date = created_date - make_interval(secs => ${ABANDONED_MS / 1000}), holder = null`;

const released = (row: Sql): Sql => sql`
  with refused as (delete from idempotency_key where ${row} and not committed)
  update idempotency_key set ${ABANDON} where ${row} and committed`;
