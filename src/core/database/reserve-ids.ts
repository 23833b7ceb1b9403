import { sql } from '../../engines/sql/sql.js';
import type { Tx } from './tx.js';

/** Reserves ids for rows to be inserted, in ascending order. @param table a table with an identity column `id` */
export async function reserveIds(tx: Tx, table: string, count: number): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`
    select nextval(pg_get_serial_sequence(${table}::text, 'id')) as id from generate_series(1, ${count}::int)`);
  return rows.map((row) => row.id);
}
