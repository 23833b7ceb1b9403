import type { ClientBase, QueryResult } from 'pg';
import type { Clock } from '../clock.js';
import type { Sql } from '../../engines/sql/sql.js';
import { type Queryable, type QueryOptions, rowsOf } from './db.js';

/** Prepared, so that they are sent together with other statements. */
const BEGIN = { name: 'begin', text: 'begin' };
const COMMIT = { name: 'commit', text: 'commit' };

/** @returns statements to be sent with the commit, in the same round trip */
export type CommitHook<Rest extends unknown[] = []> = (...rest: Rest) => Promise<readonly Sql[]>;

/**
 * One transaction on one connection. Statements run one after another in the order of the calls. Several that do not need
 * each other's rows can be sent together: `Promise.all` over their queries takes one round trip, and when one fails, so do
 * those after it.
 */
export class Tx implements Queryable {
  private readonly before: CommitHook[] = [];
  private readonly after: (() => void)[] = [];
  private begun: Promise<unknown> | undefined;
  private time: Date | undefined;

  constructor(
    private readonly connection: ClientBase,
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

  /** For COPY. No statement may be under way. */
  get client(): ClientBase {
    this.begin();
    return this.connection;
  }

  query<T>(statement: Sql, options?: QueryOptions): Promise<T[]> {
    this.begin();
    const rows = rowsOf<T>(this.connection, statement, options);
    rows.catch(() => undefined); // it may fail after another one that was sent with it, when nobody waits for it any more
    return rows;
  }

  /** For statements that belong to the transaction and are best run last, in the order of the calls. */
  beforeCommit(callback: CommitHook): void {
    this.before.push(callback);
  }

  /** For effects that must not happen when the transaction is rolled back, such as deleting files. */
  afterCommit(callback: () => void): void {
    this.after.push(callback);
  }

  /** Called once by the unit of work. @param hooks called after those of this transaction */
  async commit(hooks: readonly CommitHook<[Tx]>[] = []): Promise<void> {
    const last: Sql[] = [];
    for (const callback of this.before) last.push(...(await callback()));
    for (const hook of hooks) last.push(...(await hook(this)));
    if (this.begun !== undefined || last.length > 0) {
      const written = last.map((statement) => this.query(statement));
      const ended = this.connection.query(COMMIT);
      ended.catch(() => undefined);
      await Promise.all(written);
      requireCommitted(await ended);
    }
    for (const callback of this.after) callback();
  }

  /** Called by the unit of work when the transaction was not committed. */
  async rollback(): Promise<void> {
    if (this.begun !== undefined) await this.connection.query('rollback');
  }

  /** Sent with the first statement, in the same round trip. */
  private begin(): void {
    this.begun ??= this.connection.query(BEGIN).catch(() => undefined); // a lost connection: the statement fails, too
  }
}

/** PostgreSQL answers the commit of a failed transaction without an error. */
function requireCommitted({ command }: QueryResult): void {
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back because one of its statements had failed');
}
