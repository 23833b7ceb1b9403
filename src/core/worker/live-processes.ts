import { randomInt } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { Db } from '../database/db.js';
import { ProcessConnection } from '../database/process-connection.js';
import { type ProcessLock, ProcessLocks } from '../database/process-locks.js';
import { classHook, Discovery } from '../discovery/discovery.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { Notifier } from './notifier.js';
import { Poller } from './poller.js';

const LOOK_EVERY_MS = 1_000;
/**
 * If the connection breaks, as when the database restarts, a live process takes its lock again within about a second.
 * Only a process without a lock for longer counts as dead.
 */
const GRACE_MS = 2_000;
const MAX_NUMBERS = 2 ** 31 - 1;

/** A table whose rows store the number of the process that holds them. */
export interface LeaseTable {
  /** Selects the numbers of the processes that hold leases, as a column `holder`. */
  readonly holders: Sql;
  /** Releases the rows that dead processes hold. */
  releaseLeases(db: Db, dead: readonly number[]): Promise<void>;
}

/** Declares a table whose leases are released when their process dies. */
export const HoldsLeases = classHook<void, LeaseTable>();

/**
 * Detects dead processes on the database, so that their leases are released immediately. Each process has a number and
 * holds an advisory lock on it over a dedicated connection, which PostgreSQL closes when the process dies. Leases store
 * the number of their holder. They expire by time only if a machine vanished without closing its connections.
 */
@Injectable()
export class LiveProcesses implements BeforeApplicationShutdown {
  private readonly number = randomInt(1, MAX_NUMBERS);
  private readonly poller: Poller;
  private lock: ProcessLock | undefined;
  /** When each process was first seen without its lock, in monotonic milliseconds. */
  private readonly missing = new Map<number, number>();
  private isFailing = false;

  constructor(
    private readonly db: Db,
    private readonly locks: ProcessLocks,
    private readonly discovery: Discovery,
    private readonly notifier: Notifier,
    private readonly connection: ProcessConnection,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.poller = new Poller('dead processes', LOOK_EVERY_MS, () => this.look(), log);
  }

  /**
   * The holder to store in new leases. Null if nothing shows that this process is alive: leases then only expire by
   * time.
   */
  get holder(): number | null {
    return this.lock !== undefined && !this.lock.isLost ? this.number : null;
  }

  /**
   * Resolves when this process counts as alive, or if the database could not be queried.
   * @param role such as `server`, for `cairn doctor`
   */
  async start(role?: string): Promise<void> {
    if (role !== undefined) this.connection.nameAfter(role);
    await this.look();
    this.poller.start();
  }

  /**
   * The lock is kept until the connection closes, because other workers are stopping at the same time and still hold
   * leases.
   */
  async beforeApplicationShutdown(): Promise<void> {
    await this.poller.stop();
  }

  /** Never throws: if the next check were late, this process would count as dead. @returns false */
  private async look(): Promise<boolean> {
    try {
      if (await this.hold()) await this.releaseDead();
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.log.warn({ err: error }, 'the running processes cannot be determined');
      this.isFailing = true;
    }
    return false;
  }

  /** @returns whether this process has held its lock since the last check */
  private async hold(): Promise<boolean> {
    if (this.holder !== null) return true;
    this.missing.clear(); // the other processes may have lost theirs at the same time
    await this.lock?.release();
    this.lock = await this.locks.take(nameOf(this.number));
    return false;
  }

  private async releaseDead(): Promise<void> {
    const now = performance.now();
    const tables = this.discovery.classes(HoldsLeases).map(({ found }) => found);
    const found = await Promise.all(tables.map(({ holders }) => this.withoutLock(holders)));
    const seen = new Set(found.flat());
    for (const holder of this.missing.keys()) if (!seen.has(holder)) this.missing.delete(holder);
    for (const holder of seen) if (!this.missing.has(holder)) this.missing.set(holder, now);
    const isDead = (holder: number): boolean => now - (this.missing.get(holder) ?? now) >= GRACE_MS;
    for (const [index, table] of tables.entries()) {
      const dead = found[index]?.filter(isDead) ?? [];
      if (dead.length === 0) continue;
      await table.releaseLeases(this.db, dead);
      for (const topic of ['deliveries', 'requests'] as const) this.notifier.notify(topic);
      this.log.warn({ processes: dead }, 'released the leases of dead processes');
    }
  }

  private async withoutLock(holders: Sql): Promise<number[]> {
    const rows = await this.db.query<{ holder: number }>(sql`
      select distinct holder from (${holders}) held
      where holder <> ${this.number} and not exists (
        select 1 from pg_locks
        where locktype = 'advisory' and granted and objsubid = 1
          and database = (select oid from pg_database where datname = current_database())
          and (classid::bigint << 32) | objid::bigint = hashtextextended(${PREFIX} || holder, 0))`);
    return rows.map(({ holder }) => holder);
  }
}

const PREFIX = 'process ';
const nameOf = (holder: number): string => `${PREFIX}${holder}`;
