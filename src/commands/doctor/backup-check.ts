import type { Client } from 'pg';
import { type Finding, ok, warning } from './finding.js';

/** Files wait for the end of a backup before they are removed. It takes hours, but not days. */
export async function checkHeldRemovals(client: Client): Promise<Finding[]> {
  const { rows: table } = await client.query<{ there: boolean }>(
    `select to_regclass('held_removal') is not null as there`,
  );
  if (table[0]?.there !== true) return [];
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from held_removal where created_date < now() - interval '1 day'`,
  );
  return [assessHeldRemovals(rows[0]?.count ?? 0)];
}

/** @param count of removals that have waited for more than a day */
export function assessHeldRemovals(count: number): Finding {
  if (count === 0) return ok('backup', 'no file has waited for more than a day for the end of a backup');
  const text = `${count} file(s) or folder(s) have waited for more than a day to be removed`;
  return warning('backup', text, 'Check that background work runs, and end any "cairn backup" that makes no progress.');
}
