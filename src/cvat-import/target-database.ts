import type { ClientBase } from 'pg';
import { CvatImportError } from './cvat-import-error.js';
import { STAGES } from './stages.js';

/** Arbitrary, but the same in every process, so that only one import runs at a time. */
const IMPORT_LOCK = 7_244_202;

const TABLES = [...new Set(STAGES.flatMap((stage) => stage.table ?? []))];

/** What a new installation may contain: the first administrator and the administrator's tokens. They are replaced. */
const OF_ADMINISTRATOR: ReadonlySet<string> = new Set(['app_user', 'access_token']);

/** @throws CvatImportError if another process imports into the same database */
export async function lockImport(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [IMPORT_LOCK]);
  if (rows[0]?.locked !== true) throw new CvatImportError('Another import into this database is running.');
}

/**
 * A database whose only content is one administrator, created at the first start, counts as empty.
 * @throws CvatImportError that says what the database contains
 */
export async function requireEmpty(client: ClientBase): Promise<void> {
  const others =
    '(select count(*) from public.app_user) > 1 or exists (select from public.app_user where not is_superuser)';
  if (await holds(client, others)) throw notEmpty('accounts other than the first administrator');
  for (const table of TABLES.filter((name) => !OF_ADMINISTRATOR.has(name))) {
    if (await holds(client, `exists (select from public.${table})`)) throw notEmpty(`rows in ${table}`);
  }
}

async function holds(client: ClientBase, condition: string): Promise<boolean> {
  const { rows } = await client.query<{ holds: boolean }>(`select (${condition}) as holds`);
  return rows[0]?.holds === true;
}

const notEmpty = (what: string): CvatImportError =>
  new CvatImportError(`The database is not empty, it has ${what}: an import needs a new one.`);

/** Blocks writes by other sessions until the transaction ends. Reads continue. */
export async function lockTables(client: ClientBase): Promise<void> {
  await client.query(`lock table ${TABLES.map((table) => `public.${table}`).join(', ')} in share row exclusive mode`);
}

/**
 * Lets new rows get ids after the imported ones. A rollback does not undo it, so it is the last step before the commit.
 */
export async function setSequences(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ table_name: string; column_name: string }>(
    `select table_name, column_name from information_schema.columns
     where table_schema = 'public' and table_name = any($1) and is_identity = 'YES'`,
    [TABLES],
  );
  for (const { table_name: table, column_name: column } of rows) {
    await client.query(`
      select setval(pg_get_serial_sequence('public.${table}', '${column}'), coalesce(max(${column}), 0) + 1, false)
      from public.${table}`);
  }
}

/** Updates statistics, so that the first lists after the import are fast. */
export async function analyze(client: ClientBase): Promise<void> {
  await client.query(`analyze ${TABLES.map((table) => `public.${table}`).join(', ')}`);
}
