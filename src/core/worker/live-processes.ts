import { randomInt } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { Db } from '../database/db.js';
import { type ProcessLock, ProcessLocks } from '../database/process-locks.js';
import { classHook, Discovery } from '../discovery/discovery.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { Poller } from './poller.js';

const LOOK_EVERY_MS = 1_000;
/**
 * A live process loses its lock with the connection, as when the database restarts, and takes it again within about a
 * second: only who has been without for longer is dead.
 */
const GRACE_MS = 2_000;
const MOST_NUMBERS = 2 ** 31 - 1;

/** Rows that name the number of the process that holds them. */
export interface LeaseTable {
  /** Selects the numbers of the processes that hold leases, in a column `holder`. */
  readonly holders: Sql;
  /** Frees the rows that dead processes hold. */
  releaseLeases(db: Db, dead: readonly number[]): Promise<void>;
}

/** Has the leases of dead processes released. */
export const HoldsLeases = classHook<void, LeaseTable>();

/**
 * Knows which processes on the database are dead, so that what they held is free at once. Each process has a number and
 * holds a lock of that number on a connection of its own, which PostgreSQL ends with the process. Leases name the number of
 * their holder; they run out by time only for a machine that vanished without closing its connections, and for a process
 * whose lock nobody can see, as behind a pooler that keeps connections.
 */
@Injectable()
export class LiveProcesses implements BeforeApplicationShutdown {
  private readonly number = randomInt(1, MOST_NUMBERS);
  private readonly poller: Poller;
  private lock: ProcessLock | undefined;
  /** Since when a process has been seen without its lock, in monotonic milliseconds. */
  private readonly missing = new Map<number, number>();
  private isFailing = false;

  constructor(
    private readonly db: Db,
    private readonly locks: ProcessLocks,
    private readonly discovery: Discovery,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.poller = new Poller('dead processes', LOOK_EVERY_MS, () => this.look(), log);
  }

  /** Names the holder in new leases; null: nothing shows that this process lives, so they run out by time alone. */
  get holder(): number | null {
    return this.lock !== undefined && !this.lock.isLost ? this.number : null;
  }

  /** Resolves when this process counts as alive, or the database could not be asked. */
  async start(): Promise<void> {
    await this.look();
    this.poller.start();
  }

  /** The lock stays until the connection ends: others stop at the same time, and still hold leases. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.poller.stop();
  }

  /** Does not throw: the next look must not be late, for this process would count as dead. @returns false */
  private async look(): Promise<boolean> {
    try {
      if (await this.hold()) await this.releaseDead();
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.log.warn({ err: error }, 'cannot tell which processes live');
      this.isFailing = true;
    }
    return false;
  }

  /** @returns whether this process has had its lock since the last look */
  private async hold(): Promise<boolean> {
    if (this.holder !== null) return true;
    this.missing.clear(); // the others may have lost theirs at the same time
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
      this.log.warn({ processes: dead }, 'released what dead processes held');
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
