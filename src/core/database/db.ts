import { Injectable } from '@nestjs/common';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import type { Sql } from '../../engines/sql/sql.js';

export interface QueryOptions {
  /** The text differs from request to request (filters): do not keep it prepared. */
  readonly dynamic?: boolean;
}

/** What can run a statement: the pool or one transaction. */
export interface Queryable {
  /** Rows of one statement. Timestamps are wire text, 64-bit integers numbers. */
  query<T>(statement: Sql, options?: QueryOptions): Promise<T[]>;
}

/** Names of prepared statements by text. Bounded: texts beyond it run unprepared. */
const MAX_PREPARED = 2000;
const names = new Map<string, string>();

function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_PREPARED) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}

/** Rows of a statement, which stays prepared under a name that belongs to its text unless it is dynamic. */
export async function rowsOf<T>(on: Pool | ClientBase, statement: Sql, options?: QueryOptions): Promise<T[]> {
  const { text, values } = statement.compile();
  const name = options?.dynamic === true ? undefined : statementName(text);
  const { rows } = await (name === undefined ? on.query(text, values) : on.query({ name, text, values }));
  return rows as T[];
}

/** Reading outside transactions, each statement on any connection of the pool. */
@Injectable()
export class Db implements Queryable {
  constructor(private readonly dataSource: DataSource) {}

  query<T>(statement: Sql, options?: QueryOptions): Promise<T[]> {
    return rowsOf(this.pool, statement, options);
  }

  /**
   * Rows of a statement that takes a few of many in the order of an index. The database may expect them to be few, and find
   * and sort them all: then what took a millisecond takes half a second when there are many after all. So it is planned as if
   * sorting were the last resort, in a transaction of its own, since a plan may be made anew at any execution.
   */
  queryInIndexOrder<T>(statement: Sql): Promise<T[]> {
    const begin = 'begin; set local enable_sort = off; set local enable_incremental_sort = off';
    return this.withTransaction(begin, (client) => rowsOf<T>(client, statement));
  }

  /** A transaction that begins with the statement `begin`, sent with its first one. An error closes its connection. */
  withTransaction<T>(begin: string, use: (client: ClientBase) => Promise<T>): Promise<T> {
    return this.withClient(async (client) => {
      const begun = client.query(begin);
      begun.catch(() => undefined); // then the next statement fails, too
      const result = await use(client);
      await begun;
      await client.query('commit');
      return result;
    });
  }

  /** A connection that the caller releases. */
  connect(): Promise<PoolClient> {
    return this.pool.connect();
  }

  /** One connection for something that needs the same session (COPY, cursors, LISTEN); always given back. */
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
   * How the connections of the pool are used now; `waiting` are statements that wait for one, without those that were just
   * asked and get one in a moment.
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
