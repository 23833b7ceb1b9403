import type { ClientBase } from 'pg';
import { CvatImportError } from './cvat-import-error.js';
import { STAGES, stageTable } from './stages.js';

/** Arbitrary, but the same in every process, so that only one import runs at a time. */
const IMPORT_LOCK = 7_244_202;

const TABLES = [...new Set(STAGES.flatMap((stage) => stage.table ?? []))];

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
  for (const table of TABLES.filter((name) => name !== 'app_user')) {
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

/** Removes the first administrator and inserts the staged rows. Requires a transaction and an empty database. */
export async function fillTables(client: ClientBase): Promise<void> {
  await client.query('delete from app_user');
  for (const stage of STAGES) {
    if (stage.table === undefined) continue;
    const own = new Set((stage.own ?? []).map((column) => column.split(' ', 1)[0]));
    const columns = (await columnsOf(client, stageTable(stage.name))).filter((column) => !own.has(column));
    const computed = Object.entries(stage.computed ?? {});
    const names = [...columns, ...computed.map(([column]) => column)];
    const values = [...columns.map((column) => `row.${column}`), ...computed.map(([, value]) => value)];
    if (stage.owners !== undefined) await makeWay(client, stage.table, stageTable(stage.name), stage.owners);
    try {
      await client.query(`
        insert into public.${stage.table} (${names.join(', ')})
        select ${values.join(', ')} from ${stageTable(stage.name)} as row order by row.${stage.key ?? 'id'}`);
    } catch (error) {
      throw new CvatImportError(`Records of ${stage.model} break a rule of the database: ${explanation(error)}.`, {
        cause: error,
      });
    }
  }
}

/** Deletes the default rows of owners that have an imported one, and moves the others to ids that no imported row has. */
async function makeWay(client: ClientBase, table: string, stage: string, owners: readonly string[]): Promise<void> {
  const same = owners.map((owner) => `made.${owner} = row.${owner}`).join(' or ');
  await client.query(`delete from public.${table} made using ${stage} row where ${same}`);
  await client.query(`
    update public.${table} set id = id + greatest((select max(id) from ${stage}), (select max(id) from public.${table}))
    where exists (select from ${stage})`);
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

async function columnsOf(client: ClientBase, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  return rows.map((row) => row.name);
}

function explanation(error: unknown): string {
  const { detail, message } = error as { detail?: string; message: string };
  return (detail ?? message).replace(/\.$/, '');
}
