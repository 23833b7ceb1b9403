import type { ClientBase } from 'pg';
import type { Sql } from '../../engines/sql/sql.js';
import { type Db, type Queryable, type QueryOptions, rowsOf } from './db.js';

/** Several statements that see the same state of the database. */
export class Snapshot implements Queryable {
  constructor(readonly client: ClientBase) {}

  query<T>(statement: Sql, options?: QueryOptions): Promise<T[]> {
    return rowsOf(this.client, statement, options);
  }
}

/** Reads with several statements as if nothing happened between them. */
export function readSnapshot<T>(db: Db, read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const begin = 'begin isolation level repeatable read read only';
  return db.withTransaction(begin, (client) => read(new Snapshot(client)));
}
