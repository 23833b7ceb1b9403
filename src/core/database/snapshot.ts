import type { ClientBase } from 'pg';
import type { Sql } from '../../engines/sql/sql.js';
import { type Db, type Queryable, type QueryOptions, rowsOf } from './db.js';

/** Runs several statements on the same snapshot of the database. */
export class Snapshot implements Queryable {
  constructor(readonly client: ClientBase) {}

  query<T>(statement: Sql, options?: QueryOptions): Promise<T[]> {
    return rowsOf(this.client, statement, options);
  }
}

/** Runs several reads on one consistent snapshot. */
export function readSnapshot<T>(db: Db, read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const begin = 'begin isolation level repeatable read read only';
  return db.withTransaction(begin, (client) => read(new Snapshot(client)));
}
