import { Injectable } from '@nestjs/common';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import type { Sql } from '../../engines/sql/sql.js';
import { isRecording } from '../../engines/tracing/tracing.js';
import type { DatabasePool } from './database-pool.js';
import { tracedStatement } from './traced-statement.js';

export interface QueryOptions {
  /** Set when the text varies between requests (filters), so that the statement is not kept prepared. */
  readonly dynamic?: boolean;
}

/** Anything that can run a statement: the pool or a transaction. */
export interface Queryable {
  /** Runs one statement and returns its rows. Timestamps have their wire form; 64-bit integers are numbers. */
  query<T>(statement: Sql, options?: QueryOptions): Promise<T[]>;
}

/** Maximum number of prepared statements. Further statements run unprepared. */
const MAX_PREPARED = 2000;
const names = new Map<string, string>();

function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_PREPARED) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}

/**
 * Runs a statement and returns its rows. Unless it is dynamic, it stays prepared under a name derived from its text.
 */
export async function rowsOf<T>(on: Pool | ClientBase, statement: Sql, options?: QueryOptions): Promise<T[]> {
  const { text, values } = statement.compile();
  const name = options?.dynamic === true ? undefined : statementName(text);
  const run = (): Promise<{ rows: unknown[] }> =>
    name === undefined ? on.query(text, values) : on.query({ name, text, values });
  const { rows } = await (isRecording() ? tracedStatement(text, run) : run());
  return rows as T[];
}

/** Reads outside of transactions. Each statement may run on a different connection of the pool. */
@Injectable()
export class Db implements Queryable {
  constructor(private readonly dataSource: DataSource) {}

  query<T>(statement: Sql, options?: QueryOptions): Promise<T[]> {
    return rowsOf(this.pool, statement, options);
  }

  /**
   * For a statement that takes a few rows of many in index order. If the planner underestimates how many rows match, it
   * reads and sorts them all, which takes half a second instead of a millisecond. So this disables sorting for the
   * planner, in a transaction of its own, since any execution may be planned again.
   */
  queryInIndexOrder<T>(statement: Sql): Promise<T[]> {
    const begin = 'begin; set local enable_sort = off; set local enable_incremental_sort = off';
    return this.withTransaction(begin, (client) => rowsOf<T>(client, statement));
  }

  /**
   * Runs a transaction that starts with the statement `begin`, sent together with its first statement. An error closes
   * the connection.
   */
  withTransaction<T>(begin: string, use: (client: ClientBase) => Promise<T>): Promise<T> {
    return this.withClient(async (client) => {
      const begun = client.query(begin);
      begun.catch(() => undefined); // the next statement fails as well
      const result = await use(client);
      await begun;
      await client.query('commit');
      return result;
    });
  }

  /** A connection that the caller must release. */
  connect(): Promise<PoolClient> {
    return this.pool.connect();
  }

  /** A pool of its own for work that may hold connections for long. It opens them when they are needed. */
  separatePool(max: number): Pool {
    return (this.pool as DatabasePool).another(max);
  }

  /** Reserves one connection for work that needs a session (COPY, cursors, LISTEN), and always releases it. */
  async withClient<T>(use: (client: ClientBase) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let failure: Error | undefined;
    try {
      return await use(client);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      client.release(failure);
    }
  }

  /**
   * Current use of the pool. `waiting` counts statements that wait for a connection, except those that were just issued
   * and are about to get one.
   */
  connections(): { readonly busy: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount, waitingCount, options } = this.pool;
    const free = idleCount + Math.max(0, (options.max ?? 0) - totalCount);
    return { busy: totalCount - idleCount, idle: idleCount, waiting: Math.max(0, waitingCount - free) };
  }

  private get pool(): Pool {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
  }
}

/** Whether a statement violated the named unique index or constraint. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: broken } = (error ?? {}) as { code?: unknown; constraint?: unknown };
  return code === '23505' && broken === constraint;
}

/** Runs several statements on the same snapshot of the database. */
export class Snapshot implements Queryable {
  constructor(readonly client: ClientBase) {}

  query<T>(statement: Sql, options?: QueryOptions): Promise<T[]> {
    return rowsOf(this.client, statement, options);
  }
}

const BEGIN_SNAPSHOT = 'begin isolation level repeatable read read only';
const LONG_READS = `set local statement_timeout = '24h'; set local idle_in_transaction_session_timeout = '1h'`;

/** Runs several reads on one consistent snapshot. */
export function readSnapshot<T>(db: Db, read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return db.withTransaction(BEGIN_SNAPSHOT, (client) => read(new Snapshot(client)));
}

/** As `readSnapshot`, for background requests: a statement may take as long as the work with its rows. */
export function readLongSnapshot<T>(db: Db, read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return db.withTransaction(`${BEGIN_SNAPSHOT}; ${LONG_READS}`, (client) => read(new Snapshot(client)));
}
