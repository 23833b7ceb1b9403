import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Config, directUrl } from '../../config/config.js';
import { parseDatabaseUrl } from '../../config/database-url.js';
import type { Logger } from '../logging/logger.js';
import { clientConfig } from './client-config.js';
import { DatabaseClient } from './database-client.js';
import { DatabaseRequirementError } from './requirements.js';
import { ROLE_SETTINGS } from './session-settings.js';

/** Time for one statement; a pooler without a free session makes it wait. */
const STATEMENT_MS = 3_000;

/** What is between this process and PostgreSQL. */
export interface Route {
  /** Whether a pooler speaks PostgreSQL's protocol in between. */
  readonly isPooled: boolean;
  /** Whether two connections get the same session in turn, as from PgBouncer in transaction mode. */
  readonly sharesSessions: boolean;
  /** Whether a prepared statement can be used in another session than the one that prepared it. */
  readonly keepsStatements: boolean;
  /** Identifies the server and the database. */
  readonly target: string;
}

interface Session {
  readonly pid: number;
  readonly target: string;
}

const SESSION = `
  select pg_backend_pid() as pid,
    concat(extract(epoch from pg_postmaster_start_time()), ' ', (select oid from pg_database where datname = current_database())) as target`;

/** Other traffic makes the first attempts inconclusive: it may have released another session most recently. */
const MOST_HOLDERS = 8;

/**
 * Finds out what a URL leads to: a pooler gives its clients process ids of its own, and while another connection has the
 * session in a transaction, a statement gets another one. As many connections begin transactions as that takes; if a
 * statement never gets another session, each connection has its own.
 */
export async function inspectRoute(url: string, connectTimeoutMs: number): Promise<Route> {
  const clients: DatabaseClient[] = [];
  const connect = async (): Promise<DatabaseClient> => {
    const limits = { connectionTimeoutMillis: connectTimeoutMs, query_timeout: STATEMENT_MS };
    const client = new DatabaseClient({ ...clientConfig(url), ...limits });
    clients.push(client);
    await client.connect();
    return client;
  };
  try {
    const client = await connect();
    const prepared = { name: `cairn ${randomUUID()}`, text: SESSION };
    const first = await sessionOf(client, prepared);
    const isPooled = first.pid !== (client as unknown as { readonly processID: number }).processID;
    if (!isPooled) return { isPooled, sharesSessions: false, keepsStatements: true, target: first.target };
    let held: Session | undefined;
    let again: Session | undefined = first;
    do {
      held = await holdSession(await connect()).catch(() => undefined); // if no session is free
      again = await sessionOf(client, prepared).catch(() => undefined);
    } while (held !== undefined && again?.pid === first.pid && clients.length <= MOST_HOLDERS);
    const sharesSessions = again?.pid !== first.pid;
    return {
      isPooled,
      sharesSessions,
      keepsStatements: held !== undefined && again !== undefined,
      target: first.target,
    };
  } finally {
    for (const client of clients) void client.end().catch(() => undefined);
  }
}

async function holdSession(client: DatabaseClient): Promise<Session> {
  await client.query('begin');
  return sessionOf(client, SESSION);
}

async function sessionOf(client: DatabaseClient, statement: string | object): Promise<Session> {
  const { rows } = (await client.query(statement)) as { rows: [Session] };
  return rows[0];
}

/**
 * Checks that what PostgreSQL ties to a session reaches it, stores settings that a pooler does not pass on, and finds out
 * whether statements can stay prepared.
 * @returns the settings, with `databasePrepared`
 * @throws DatabaseRequirementError, DatabaseUnavailable
 */
export async function requireRoutes(config: Config, log: Logger): Promise<Config> {
  const { databaseUrl, databaseDirectUrl, databaseConnectTimeoutMs: timeoutMs } = config;
  const direct = await inspectRoute(directUrl(config), timeoutMs);
  const problem = directProblem(direct, databaseDirectUrl !== '');
  if (problem !== null && direct.sharesSessions) throw new DatabaseRequirementError(problem);
  if (problem !== null) log.warn(problem);
  if (databaseDirectUrl === '') return { ...config, databasePrepared: config.databasePrepared ?? true };
  await storeRoleSettings(config); // before the pooler opens sessions
  const pooled = await inspectRoute(databaseUrl, timeoutMs);
  if (pooled.target !== direct.target)
    throw new DatabaseRequirementError('DATABASE_URL and DATABASE_DIRECT_URL lead to different databases.');
  const databasePrepared = config.databasePrepared ?? pooled.keepsStatements;
  log.info({ pooler: pooled.isPooled, preparedStatements: databasePrepared }, 'connections come from DATABASE_URL');
  return { ...config, databasePrepared };
}

/**
 * Stores settings of sessions for the role of the pooled connections in this database. New sessions have them. It changes
 * nothing if they are stored, if the pooler connects as another role, or if this role may not change it.
 */
async function storeRoleSettings(config: Config): Promise<void> {
  const { user: role = '' } = parseDatabaseUrl(config.databaseUrl);
  const client = new DatabaseClient({
    ...clientConfig(config.databaseDirectUrl),
    connectionTimeoutMillis: config.databaseConnectTimeoutMs,
  });
  try {
    await client.connect();
    const { rows } = (await client.query(STORED_SETTINGS, [role])) as { rows: { settings: string[] }[] };
    const known = new Set(rows.flatMap(({ settings }) => settings));
    for (const [name, value] of Object.entries(ROLE_SETTINGS))
      if (!known.has(`${name}=${value}`)) await client.query(storeSetting(role, name, value));
  } finally {
    await client.end().catch(() => undefined);
  }
}

const STORED_SETTINGS = `
  select setconfig as settings from pg_db_role_setting
  where setrole = (select oid from pg_roles where rolname = $1)
    and setdatabase = (select oid from pg_database where datname = current_database())`;

/** An internal error is that another process stores the same at the same time. */
const storeSetting = (role: string, name: string, value: string): string => `
  do $$ begin
    execute format('alter role %I in database %I set ${name} = %L', ${pg.escapeLiteral(role)}, current_database(), '${value}');
  exception when insufficient_privilege or undefined_object or internal_error then null; end $$`;

/** What is wrong with a URL that must lead to PostgreSQL itself; null if it does. */
export function directProblem({ isPooled, sharesSessions }: Route, isOwnSetting: boolean): string | null {
  if (!isPooled) return null;
  const advice = isOwnSetting
    ? 'Change it to the URL of PostgreSQL itself.'
    : 'Set DATABASE_DIRECT_URL to the URL of PostgreSQL itself, for locks, notifications and migrations.';
  const kind = sharesSessions ? 'a connection pooler in transaction mode' : 'a connection pooler';
  return `${isOwnSetting ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL'} leads to ${kind}. ${advice}`;
}
