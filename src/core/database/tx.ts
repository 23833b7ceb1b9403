import type { ClientBase } from 'pg';
import type { EntityManager } from 'typeorm';
import type { Clock } from '../clock.js';
import type { Sql } from '../../engines/sql/sql.js';
import { type Queryable, type QueryOptions, rowsOf } from './db.js';

/** One transaction on one connection. Statements run one after another. */
export class Tx implements Queryable {
  private readonly before: (() => Promise<void>)[] = [];
  private readonly after: (() => void)[] = [];
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

  /** For statements that belong to the transaction and are best run last, in the order of the calls. */
  beforeCommit(callback: () => Promise<void>): void {
    this.before.push(callback);
  }

  /** For effects that must not happen when the transaction is rolled back, such as deleting files. */
  afterCommit(callback: () => void): void {
    this.after.push(callback);
  }

  /** Called once by the unit of work. */
  async committing(): Promise<void> {
    for (const callback of this.before) await callback();
  }

  /** Called once by the unit of work. */
  committed(): void {
    for (const callback of this.after) callback();
  }
}
