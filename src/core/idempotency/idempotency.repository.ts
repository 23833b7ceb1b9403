import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { DatabaseUnavailable } from '../database/database-client.js';
import { Db } from '../database/db.js';
import type { Tx } from '../database/tx.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { HoldsLeases, type LeaseTable, LiveProcesses } from '../worker/live-processes.js';

const KEPT_MS = 24 * 3_600_000;
/**
 * A request without a response for this long belonged to a process that died. It may run again, unless part of it was
 * committed.
 */
const ABANDONED_MS = 10 * 60_000;
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

/** Keys in the database. Each is held by the request that claimed it, until its response is stored. */
@Injectable()
@HoldsLeases()
export class IdempotencyRepository implements LeaseTable {
  readonly holders = sql`select holder from idempotency_key where holder is not null and status is null`;

  /** Results that could not be stored, oldest first. */
  private readonly unsettled: Sql[] = [];

  constructor(
    private readonly db: Db,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly processes: LiveProcesses,
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
      return await this.tryToClaim(request);
    } catch (error) {
      // The key may have been claimed before the connection was lost, although the request does not run.
      if (error instanceof DatabaseUnavailable) this.settleLater(released(ownRow(request)));
      throw error;
    }
  }

  private async tryToClaim(request: KeyedRequest): Promise<EarlierRequest | undefined> {
    const { userId, key, fingerprint, date } = request;
    const expired = new Date(date.getTime() - KEPT_MS);
    const abandoned = new Date(date.getTime() - ABANDONED_MS);
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
          idempotency_key.created_date < ${abandoned} and idempotency_key.fingerprint = excluded.fingerprint
          and idempotency_key.status is null and not idempotency_key.committed)
      returning 1`);
    if (mine !== undefined) return undefined;
    const [earlier] = await this.db.query<EarlierRequest>(sql`
      select fingerprint, committed, status, answer, created_date < ${abandoned} as abandoned
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

  /** Never fails: while the database is down, the request gets its response, and this is repeated. */
  private async settle(request: KeyedRequest, outcome: (row: Sql) => Sql): Promise<void> {
    try {
      await this.db.query(outcome(rowOf(request)));
    } catch (error) {
      this.log.warn({ err: error }, 'a response could not be stored for its Idempotency-Key');
      if (error instanceof DatabaseUnavailable) this.settleLater(outcome(ownRow(request)));
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
const ownRow = (request: KeyedRequest): Sql => sql`${rowOf(request)} and created_date = ${request.date}`;

/** Nothing handles the request any more. */
const ABANDON = sql`created_date = created_date - make_interval(secs => ${ABANDONED_MS / 1000}), holder = null`;

const released = (row: Sql): Sql => sql`
  with refused as (delete from idempotency_key where ${row} and not committed)
  update idempotency_key set ${ABANDON} where ${row} and committed`;
