import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Client, ClientBase } from 'pg';
import { from } from 'pg-copy-streams';
import type { Config } from '../config/config.js';
import { createDataSource } from '../core/database/data-source.js';
import type { Extension } from '../core/extensions/load-extensions.js';
import { schemaWith } from '../extended-schema.js';
import { damaged } from './archive-reader.js';
import { BackupError, type BackupHeader, type BackupManifest, tableOf } from './backup-format.js';
import { connect, partitionsOf, quoted, tablesOf } from './database-snapshot.js';

const decompress = promisify(gunzip);

type DatabaseSettings = Pick<Config, 'databaseUrl' | 'databaseConnectTimeoutMs'>;

/**
 * Creates the schema that a backup was made with, or requires that the database has it and no content.
 * @throws BackupError if the database is not empty, or the backup is newer than this program
 */
export async function prepareSchema(
  { databaseUrl: url, databaseConnectTimeoutMs: connectTimeoutMs }: DatabaseSettings,
  extensions: readonly Extension[],
  { migrations: wanted }: BackupHeader,
): Promise<void> {
  const schema = schemaWith(extensions);
  const known = new Map(schema.migrations.map((migration) => [migration.name, migration]));
  const unknown = wanted.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new BackupError(
      `The backup was made by a newer version of Cairn, or with an extension that is not in CAIRN_EXTENSIONS: it has the migration ${unknown.join(', ')}.`,
    );
  await requireEmptyDatabase(url, wanted);
  const migrations = schema.migrations.filter(({ name }) => wanted.includes(name));
  const dataSource = createDataSource({ url, connectTimeoutMs, poolSize: 2, ...schema, migrations });
  await dataSource.initialize();
  try {
    await dataSource.runMigrations({ transaction: 'all' });
  } finally {
    await dataSource.destroy();
  }
}

/** @throws BackupError if there are tables of something else, accounts, or migrations that the backup does not have */
async function requireEmptyDatabase(url: string, wanted: readonly string[]): Promise<void> {
  const client = await connect(url);
  try {
    const tables = await tablesOf(client);
    if (tables.length === 0) return;
    const hasSchema =
      tables.some(({ name }) => name === 'app_user') && tables.some(({ name }) => name === 'installation');
    if (!hasSchema) throw notEmpty(`the table ${tables[0]?.name}`);
    const { rows: content } = await client.query<{ filled: boolean }>(
      'select exists (select from app_user) or exists (select from installation) as filled',
    );
    if (content[0]?.filled === true) throw notEmpty('an installation of Cairn');
    const { rows } = await client.query<{ name: string }>('select name from schema_migration');
    const others = rows.filter(({ name }) => !wanted.includes(name));
    if (others.length > 0) throw notEmpty(`the schema of another version (${others[0]?.name})`);
  } finally {
    await client.end();
  }
}

const notEmpty = (what: string): BackupError =>
  new BackupError(`The database is not empty: it has ${what}. A backup can only be restored into a new database.`);

/** Arbitrary, but the same in every process. */
const RESTORE_LOCK = 7_244_204;

/**
 * Connects to the database that a backup is restored into, and keeps other restores away until the connection ends.
 * @throws BackupError if another one is running
 */
export async function lockDatabase(databaseUrl: string): Promise<Client> {
  const client = await connect(databaseUrl);
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      RESTORE_LOCK,
    ]);
    if (rows[0]?.locked !== true) throw new BackupError('Another restore into this database is running.');
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** What the installation is bound to after the restore. */
export interface Binding {
  readonly folderId: string;
  readonly secretCheck: string;
  /** Path of the folder of exports: rows name their files by path. */
  readonly exports: string;
  /** Where the files are: the URL of a bucket, or empty for the data folder. */
  readonly mediaUrl: string;
  /** Whether the webhooks of the restored installation send events. */
  readonly webhooks: boolean;
}

/** Loads the rows of a backup in one transaction. */
export class DatabaseLoader {
  private readonly rows: Record<string, number> = {};
  private readonly tables: ReadonlyMap<string, readonly string[]>;
  private foreignKeys: readonly { readonly table: string; readonly name: string; readonly definition: string }[] = [];

  private constructor(
    private readonly client: Client,
    private readonly header: BackupHeader,
  ) {
    this.tables = new Map(header.tables.map(({ name, columns }) => [name, columns]));
  }

  /**
   * Begins the transaction. The schema must be that of the backup. Nothing is visible to others before `commit`.
   * @param client of {@link lockDatabase}
   */
  static async open(client: Client, header: BackupHeader): Promise<DatabaseLoader> {
    const loader = new DatabaseLoader(client, header);
    await client.query('begin');
    await loader.prepare();
    return loader;
  }

  /**
   * Loads one part of a table.
   * @param entry the name of the part; @throws BackupError if it is damaged
   */
  async load(entry: string, content: Buffer): Promise<void> {
    const table = tableOf(entry) ?? '';
    const columns = this.tables.get(table);
    if (columns === undefined) throw damaged(entry);
    const text = await decompress(content).catch(() => {
      throw damaged(entry);
    });
    const list = columns.map(quoted).join(', ');
    const target = this.client.query(from(`copy public.${quoted(table)} (${list}) from stdin`));
    await pipeline(Readable.from([text], { objectMode: false }), target);
    this.rows[table] = (this.rows[table] ?? 0) + target.rowCount;
  }

  /** Puts everything back that was taken away for loading. @throws BackupError if rows are missing */
  async complete({ rows, sequences }: BackupManifest, binding: Binding): Promise<void> {
    for (const { name } of this.header.tables)
      if ((this.rows[name] ?? 0) !== (rows[name] ?? 0)) throw damaged(`the table ${name}`);
    for (const { name, value, isCalled } of sequences)
      await this.client.query('select setval($1::regclass, $2::bigint, $3)', [
        `public.${quoted(name)}`,
        value,
        isCalled,
      ]);
    await this.bind(binding);
    for (const { table, name, definition } of this.foreignKeys)
      await this.client.query(`alter table ${table} add constraint ${quoted(name)} ${definition}`);
    await this.setTriggers('enable');
  }

  async commit(): Promise<void> {
    await this.client.query('commit');
    await this.client.query('analyze').catch(() => undefined); // only makes the first lists faster
  }

  /**
   * Rows come table by table, without regard to references, and what triggers would do is part of the backup. Only a
   * superuser could switch off the checks of foreign keys, so they are dropped until the end.
   */
  private async prepare(): Promise<void> {
    const { rows: keys } = await this.client.query<{ table: string; name: string; definition: string }>(`
      select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace`);
    this.foreignKeys = keys;
    for (const { table, name } of keys) await this.client.query(`alter table ${table} drop constraint ${quoted(name)}`);
    const present = new Set((await partitionsOf(this.client)).map(({ name }) => name));
    for (const { parent, name, bound } of this.header.partitions)
      if (!present.has(name))
        await this.client.query(
          `create table public.${quoted(name)} partition of public.${quoted(parent)} ${checkedBound(bound)}`,
        );
    await this.setTriggers('disable');
    const all = await tablesOf(this.client);
    await this.client.query(`truncate ${all.map(({ name }) => `public.${quoted(name)}`).join(', ')}`);
  }

  private async setTriggers(action: 'enable' | 'disable'): Promise<void> {
    const { rows } = await this.client.query<{ name: string }>(`
      select distinct tgrelid::regclass::text as name from pg_trigger join pg_class on pg_class.oid = tgrelid
      where not tgisinternal and relnamespace = 'public'::regnamespace`);
    for (const { name } of rows) await this.client.query(`alter table ${name} ${action} trigger user`);
  }

  private async bind({ folderId, secretCheck, mediaUrl, exports, webhooks }: Binding): Promise<void> {
    await this.client.query('update installation set folder_id = $1, secret_check = $2', [folderId, secretCheck]);
    if (this.tables.get('installation')?.includes('media_url') === true) await placeMedia(this.client, mediaUrl);
    await this.client.query(
      `update background_request set result_file = $1 || regexp_replace(result_file, '^.*/', '') where result_file is not null`,
      [`${exports}/`],
    );
    if (!webhooks) await this.client.query('update webhook set is_active = false');
  }
}

/** Records that the files are in one place. */
export async function placeMedia(client: ClientBase, mediaUrl: string): Promise<void> {
  await client.query('update installation set media_url = $1, media_target = null, media_writes_target = false', [
    mediaUrl,
  ]);
  await client.query('delete from media_moved');
}

/** A bound is SQL from the archive: only literals are accepted. */
function checkedBound(bound: string): string {
  if (!/^FOR VALUES FROM \('[\d :.+-]+'\) TO \('[\d :.+-]+'\)$|^DEFAULT$/.test(bound)) throw damaged('header.json');
  return bound;
}
