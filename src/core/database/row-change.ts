import { join, type Sql, sql } from '../../engines/sql/sql.js';
import type { Queryable } from './db.js';
import type { Tx } from './tx.js';

/** Repository methods for changing one row of a table with `updated_date`. */
interface ChangeableRows<Row> {
  lock(tx: Tx, id: number): Promise<unknown>;
  find(db: Queryable, id: number): Promise<Row | undefined>;
  set(tx: Tx, id: number, assignments: Sql): Promise<void>;
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
  await rows.lock(tx, id);
  const before = await rows.find(tx, id);
  if (before === undefined) return undefined;
  const assignments = await change(before);
  await rows.set(tx, id, join([...assignments, sql`updated_date = ${tx.now}`], ', '));
  const after = await rows.find(tx, id);
  return after === undefined ? undefined : { before, after };
}
