import type { ClientBase, QueryResult } from 'pg';
import { join, type Sql, sql } from '../../engines/sql/sql.js';
import type { Clock } from '../clock.js';
import { copyIn } from './copy.js';
import { dateToWire } from './data-source.js';
import { tracedStatement } from './traced-statement.js';
import { type Queryable, type QueryOptions, rowsOf, Snapshot } from './db.js';

/** Prepared, so that it can be pipelined with other statements. */
const BEGIN = { name: 'begin', text: 'begin' };
const COMMIT = { name: 'commit', text: 'commit' };

const TRANSACTION_HAS_FAILED = '25P02';

/** Writes the last rows of a transaction, usually with `tx.write`, so that they are sent together with the commit. */
export type CommitHook = (tx: Tx) => Promise<void> | void;

/**
 * One transaction on one connection. Statements run in the order of the calls. If one fails, so do those after it.
 *
 * Rows stay locked during every round trip, so statements that do not depend on each other's rows are pipelined:
 * `Promise.all` over several queries takes one round trip, and a `write` takes none, because it is sent together with the
 * next query or with the commit. A transaction with few round trips reads and locks first, then writes and commits.
 */
export class Tx implements Queryable {
  /** Set by a change that is worth nothing if its request fails: the request may then run again with its key. */
  isRepeatable = false;
  private readonly before: CommitHook[] = [];
  private readonly after: (() => void)[] = [];
  private readonly written: Promise<unknown>[] = [];
  private begun: Promise<unknown> | undefined;
  private firstError: Error | undefined;
  private time: Date | undefined;

  constructor(
    private readonly connection: ClientBase,
    private readonly clock: Clock,
  ) {}

  /**
   * The timestamp of this change, shared by all rows it writes. It is read on first use: by then the transaction holds
   * its locks, so the dates of a row never go backwards.
   */
  get now(): Date {
    this.time ??= this.clock.now();
    return this.time;
  }

  query<T>(statement: Sql, options?: QueryOptions): Promise<T[]> {
    this.begin();
    const rows = rowsOf<T>(this.connection, statement, options);
    // It may fail after another pipelined statement, when nobody awaits it any more.
    rows.catch((error: Error) => (this.firstError ??= error));
    return rows;
  }

  /** Sends a statement without waiting for it. The commit waits for it, and reports its error. */
  write(statement: Sql): void {
    this.written.push(this.query(statement));
  }

  /** Waits for all statements that `write` has sent. */
  async settled(): Promise<void> {
    await Promise.all(this.written);
  }

  /** Writes rows with COPY, as `copyIn` does. It cannot be pipelined, so it waits for the statements sent before. */
  async copyIn(table: string, columns: readonly string[], chunks: Iterable<string>): Promise<void> {
    this.begin();
    await this.settled();
    await copyIn(this.connection, table, columns, chunks);
  }

  /**
   * Reads large results on the connection of the transaction. Unlike other snapshots, each of its statements sees what
   * was committed before it.
   */
  async reader(): Promise<Snapshot> {
    this.begin();
    await this.settled();
    return new Snapshot(this.connection);
  }

  /** The error that made the transaction fail. Statements after it report only that the transaction has failed. */
  causeOf(error: unknown): unknown {
    const code = (error as { readonly code?: unknown } | null)?.code;
    return code === TRANSACTION_HAS_FAILED && this.firstError !== undefined ? this.firstError : error;
  }

  /** Registers what to write at the end of the transaction, in the order of the calls. */
  beforeCommit(callback: CommitHook): void {
    this.before.push(callback);
  }

  /** Registers effects that must not happen if the transaction is rolled back, such as deleting files. */
  afterCommit(callback: () => void): void {
    this.after.push(callback);
  }

  /** Called once by the unit of work. @param hooks run after this transaction's own hooks */
  async commit(hooks: readonly CommitHook[] = []): Promise<void> {
    for (const write of this.before) await write(this);
    for (const write of hooks) await write(this);
    if (this.begun !== undefined) {
      const ended = tracedStatement(COMMIT.text, () => this.connection.query(COMMIT));
      ended.catch(() => undefined);
      await this.settled();
      requireCommitted(await ended);
    }
    for (const callback of this.after) callback();
  }

  /** Called by the unit of work if the transaction was not committed. */
  async rollback(): Promise<void> {
    if (this.begun !== undefined) await this.connection.query('rollback');
  }

  /** BEGIN is sent with the first statement, in the same round trip. */
  private begin(): void {
    this.begun ??= this.connection.query(BEGIN).catch(() => undefined); // if the connection is lost, the statement fails
  }
}

/** PostgreSQL does not report an error when a failed transaction is committed. */
function requireCommitted({ command }: QueryResult): void {
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back because one of its statements had failed');
}

/** Reserves ids for rows to be inserted, in ascending order. @param table a table with an identity column `id` */
export async function reserveIds(tx: Tx, table: string, count: number): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select nextval(pg_get_serial_sequence(${table}::text, 'id')) as id from generate_series(1, ${count}::int)`);
  return rows.map((row) => row.id);
}

/** Repository methods for changing one row of a table with `updated_date`. */
interface ChangeableRows<Row> {
  lock(tx: Tx, id: number): Promise<unknown>;
  find(db: Queryable, id: number): Promise<Row | undefined>;
  /** Takes no round trip. */
  set(tx: Tx, id: number, assignments: Sql): void;
}

/** Locks a row until the transaction ends, and reads it in the same round trip. */
export async function lockRow<Row>(tx: Tx, rows: ChangeableRows<Row>, id: number): Promise<Row | undefined> {
  const [, row] = await Promise.all([rows.lock(tx, id), rows.find(tx, id)]);
  return row;
}

/**
 * Locks a row and writes the assignments that `change` returns, with a new date.
 * @returns the row before and after; undefined if it does not exist
 */
export async function changeRow<Row>(
  tx: Tx,
  rows: ChangeableRows<Row>,
  id: number,
  change: (before: Row) => Promise<readonly Sql[]>,
): Promise<{ readonly before: Row; readonly after: Row } | undefined> {
  const before = await lockRow(tx, rows, id);
  if (before === undefined) return undefined;
  const assignments = await change(before);
  rows.set(tx, id, join([...assignments, sql`updated_date = ${tx.now}`], ', '));
  const after = await rows.find(tx, id);
  return after === undefined ? undefined : { before, after };
}

/** Writes a new date to a locked row. Takes no round trip. @returns the row after the change */
export function touchRow<Row extends { readonly id: number; readonly updated_date: string }>(
  tx: Tx,
  rows: ChangeableRows<Row>,
  before: Row,
): Row {
  rows.set(tx, before.id, sql`updated_date = ${tx.now}`);
  return { ...before, updated_date: dateToWire(tx.now) };
}
