import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { Clock } from '../clock.js';
import { DatabaseUnavailable } from '../database/database-client.js';
import { Db, type Queryable } from '../database/db.js';
import { UpkeepEvery } from '../worker/workers.js';

/** How often something may happen for a key, within a window of time that begins when it first happens. */
export interface Limit {
  /** Distinguishes its keys from those of other limits. */
  readonly name: string;
  readonly most: number;
  readonly windowMs: number;
}

/** A key of a limit. */
export interface Counter {
  readonly limit: Limit;
  readonly key: string;
}

const CLEAN_UP_EVERY_MS = 60_000;
const MAX_EXCEEDED = 10_000;

interface Row {
  readonly key: string;
  readonly count: number;
  readonly window_end: string;
}

/**
 * Counts events per key in the database, so that a limit is the same however many servers there are, and a restart does
 * not reset it.
 */
@Injectable()
export class Throttles {
  /**
   * Keys above their limit, with the end of their window: a flood of requests needs no statements. Only for keys that are
   * never uncounted.
   */
  private readonly exceeded = new Map<string, number>();

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts one event that is never uncounted.
   * @param on a transaction that also undoes the count; default: none
   * @returns seconds to wait if the limit is exceeded, else 0
   */
  async hit(limit: Limit, key: string, on: Queryable = this.db): Promise<number> {
    const now = this.clock.now();
    const id = idOf({ limit, key });
    const known = this.exceeded.get(id);
    if (known !== undefined && known > now.getTime()) return secondsUntil(known, now);
    this.exceeded.delete(id);
    const [row] = await on.query<Row>(counting([{ limit, key }], now)).catch((error: unknown) => {
      // Some anonymous requests need no database. They are answered without one, uncounted.
      if (on === this.db && error instanceof DatabaseUnavailable) return [];
      throw error;
    });
    if (row === undefined || row.count <= limit.most) return 0;
    const end = Date.parse(row.window_end);
    if (this.exceeded.size >= MAX_EXCEEDED) this.exceeded.clear();
    this.exceeded.set(id, end);
    return secondsUntil(end, now);
  }

  /** Counts one event for all keys, unless the limit of one is reached. @returns seconds to wait in that case, else 0 */
  async hitAll(counters: readonly Counter[]): Promise<number> {
    const now = this.clock.now();
    const reached = await this.db.query<Row>(sql`
      select throttle_count.key, count, window_end from throttle_count
      join unnest(${counters.map(idOf)}::text[], ${counters.map(({ limit }) => limit.most)}::int[]) asked (key, most)
        on throttle_count.key = asked.key
      where window_end > ${now} and count >= most`);
    if (reached.length > 0) return longest(reached, now);
    const most = new Map(counters.map((counter) => [idOf(counter), counter.limit.most]));
    const counted = await this.db.query<Row>(counting(counters, now));
    // Others may have counted since the first statement.
    const exceeded = counted.filter(({ key, count }) => count > (most.get(key) ?? Infinity));
    if (exceeded.length === 0) return 0;
    await this.takeBack(counters);
    return longest(exceeded, now);
  }

  /** Reverts `hitAll`. */
  async takeBack(counters: readonly Counter[]): Promise<void> {
    // Locks in the order of `counting`, so that no two statements wait for each other.
    await this.db.query(sql`
      update throttle_count set count = count - 1
      where count > 0 and window_end > ${this.clock.now()} and key in (
        select key from throttle_count where key = any(${counters.map(idOf)}::text[]) order by key for update)`);
  }

  /** Remembers keys for the time of the limit's window. */
  async remember(limit: Limit, keys: readonly string[]): Promise<void> {
    const now = this.clock.now();
    const ids = keys.map((key) => idOf({ limit, key }));
    await this.db.query(sql`
      insert into throttle_count (key, count, window_end)
      select distinct key, 1, ${new Date(now.getTime() + limit.windowMs)}::timestamptz
      from unnest(${ids}::text[]) key order by key
      on conflict (key) do update set window_end = excluded.window_end`);
  }

  /** Which of the keys are remembered. */
  async remembered(limit: Limit, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const ids = keys.map((key) => idOf({ limit, key }));
    const rows = await this.db.query<Row>(sql`
      select key from throttle_count where key = any(${ids}::text[]) and window_end > ${this.clock.now()}`);
    const known = new Set(rows.map(({ key }) => key));
    return new Set(keys.filter((_, index) => known.has(ids[index] ?? '')));
  }

  @UpkeepEvery({ name: 'clean-up of limits', everyMs: CLEAN_UP_EVERY_MS })
  async cleanUp(): Promise<void> {
    await this.db.query(sql`delete from throttle_count where window_end <= ${this.clock.now()}`);
  }
}

/** Counts one event for each counter, in order of the keys so that no two statements wait for each other. */
function counting(counters: readonly Counter[], now: Date): Sql {
  const ends = counters.map(({ limit }) => new Date(now.getTime() + limit.windowMs));
  return sql`
    insert into throttle_count (key, count, window_end)
    select distinct on (key) key, 1, window_end
    from unnest(${counters.map(idOf)}::text[], ${ends}::timestamptz[]) asked (key, window_end) order by key
    on conflict (key) do update set
      count = case when throttle_count.window_end <= ${now} then 1 else throttle_count.count + 1 end,
      window_end = case when throttle_count.window_end <= ${now} then excluded.window_end else throttle_count.window_end end
    returning key, count, window_end`;
}

const idOf = ({ limit, key }: Counter): string => hash('sha256', `${limit.name}\0${key}`, 'base64');

const longest = (rows: readonly Row[], now: Date): number =>
  Math.max(...rows.map((row) => secondsUntil(Date.parse(row.window_end), now)));

const secondsUntil = (end: number, now: Date): number => Math.max(1, Math.ceil((end - now.getTime()) / 1000));
