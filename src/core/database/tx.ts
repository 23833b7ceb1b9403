import type { ClientBase } from 'pg';
import type { EntityManager } from 'typeorm';
import type { Clock } from '../clock.js';
import type { Sql } from '../../engines/sql/sql.js';
import type { EventRecord } from '../outbox/event-map.js';
import { type Queryable, type QueryOptions, rowsOf } from './db.js';

/**
 * One transaction on one connection. Statements run one after another; events recorded here are written with the rows
 * they tell of, in the order of recording.
 */
export class Tx implements Queryable {
  /** Whether anything was recorded. */
  hasEvents = false;
  private readonly recorded: EventRecord[] = [];
  private readonly callbacks: (() => void)[] = [];

  private time: Date | undefined;

  constructor(
    readonly manager: EntityManager,
    readonly client: ClientBase,
    private readonly clock: Clock,
  ) {}

  /**
   * The time of this change, so that all the rows it writes carry the same. Read when it is first asked for: by then the
   * change has waited for its locks, and dates of a row do not go back.
   */
  get now(): Date {
    this.time ??= this.clock.now();
    return this.time;
  }

  query<T>(statement: Sql, options?: QueryOptions): Promise<T[]> {
    return rowsOf(this.client, statement, options);
  }

  /** Says what happened. Written to the outbox before the commit. */
  record(...events: readonly EventRecord[]): void {
    this.recorded.push(...events);
    this.hasEvents = true;
  }

  /** @returns what has been recorded since the last call, to be written */
  takeEvents(): readonly EventRecord[] {
    return this.recorded.splice(0);
  }

  /** Recorded and not yet written. */
  get events(): readonly EventRecord[] {
    return this.recorded;
  }

  /** For effects that must not happen when the transaction is rolled back, such as deleting files. */
  afterCommit(callback: () => void): void {
    this.callbacks.push(callback);
  }

  /** Called once by the unit of work. */
  committed(): void {
    for (const callback of this.callbacks) callback();
  }
}
