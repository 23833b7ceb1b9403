import { DataSource } from 'typeorm';
import { type Config, directUrl } from './config/config.js';
import { createDataSource } from './core/database/data-source.js';
import { requireSuitable } from './core/database/requirements.js';
import type { Extension } from './core/extensions/load-extensions.js';
import { schemaWith } from './extended-schema.js';

/** The database has been changed by a newer server or another extension; this server must not touch it. */
export class NewerDatabaseError extends Error {
  constructor(names: readonly string[]) {
    super(
      `The database belongs to a newer version of Cairn, or to an extension that is not in CAIRN_EXTENSIONS: it has the migration ${names.join(', ')}. Start that version, or add the extension.`,
    );
    this.name = 'NewerDatabaseError';
  }
}

/** Arbitrary, but the same in every process: only one migrates at a time. */
const MIGRATION_LOCK = 7_244_201;

/**
 * Brings the schema up to date. Several processes may call it at once.
 * @param config says where the database is, and how long to wait for it
 * @param extensions bring changes of their own tables
 * @returns names of the changes that were made
 * @throws NewerDatabaseError, DatabaseRequirementError
 */
export async function migrate(
  config: Pick<Config, 'databaseUrl' | 'databaseConnectTimeoutMs'> & Partial<Pick<Config, 'databaseDirectUrl'>>,
  extensions: readonly Extension[] = [],
): Promise<string[]> {
  const { databaseUrl, databaseDirectUrl = '', databaseConnectTimeoutMs: connectTimeoutMs } = config;
  const url = directUrl({ databaseUrl, databaseDirectUrl });
  const dataSource = createDataSource({ url, connectTimeoutMs, poolSize: 2, ...schemaWith(extensions) });
  await dataSource.initialize();
  try {
    await requireSuitable(dataSource);
    return await migrateLocked(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

async function migrateLocked(dataSource: DataSource): Promise<string[]> {
  const lock = dataSource.createQueryRunner();
  await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  try {
    await refuseNewer(dataSource);
    const done = await dataSource.runMigrations({ transaction: 'all' });
    return done.map((migration) => migration.name);
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await lock.release();
  }
}

async function refuseNewer(dataSource: DataSource): Promise<void> {
  const [table] = await dataSource.query<{ exists: boolean }[]>(
    `select to_regclass('schema_migration') is not null as exists`,
  );
  if (table?.exists !== true) return;
  const rows = await dataSource.query<{ name: string }[]>('select name from schema_migration');
  const known = new Set(dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name));
  const unknown = rows.map((row) => row.name).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
}
