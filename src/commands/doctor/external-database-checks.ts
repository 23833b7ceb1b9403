import { type Config, directUrl } from '../../config/config.js';
import { parseDatabaseUrl } from '../../config/database-url.js';
import { clientConfig } from '../../core/database/client-config.js';
import { DatabaseClient } from '../../core/database/database-client.js';
import { directProblem, inspectRoute } from '../../core/database/pooler.js';
import { ROLE_SETTINGS } from '../../core/database/session-settings.js';
import { type Finding, failure, ok, reasonOf, warning } from './finding.js';

const TIMEOUT_MS = 5_000;

/** Runs a statement that returns one row. */
export async function rowOf<T>(client: DatabaseClient, statement: string): Promise<T> {
  const { rows } = (await client.query(statement)) as { rows: [T] };
  return rows[0];
}

/** Checks that matter only for a database server that Cairn did not start. @param client connected to PostgreSQL itself */
export async function checkExternal(client: DatabaseClient, config: Config): Promise<Finding[]> {
  return [
    await checkRole(client),
    await checkEncryption(client, config),
    ...(await checkHosts(config)),
    await checkReplication(client),
    ...(await checkPooler(config)),
  ];
}

async function checkRole(client: DatabaseClient): Promise<Finding> {
  const { role, superuser } = await rowOf<{ role: string; superuser: boolean }>(
    client,
    `select rolname as role, rolsuper as superuser from pg_roles where rolname = current_user`,
  );
  if (!superuser) return ok('role', `${role} is not a superuser`);
  const advice = 'Cairn needs no superuser. Use a role that owns only this database.';
  return warning('role', `${role} is a superuser`, advice);
}

async function checkEncryption(client: DatabaseClient, config: Config): Promise<Finding> {
  const { ssl, version, local } = await rowOf<{ ssl: boolean; version: string | null; local: boolean }>(
    client,
    `select ssl, version, coalesce(inet_client_addr() <<= '127.0.0.0/8' or inet_client_addr() = '::1', true) as local
     from pg_stat_ssl where pid = pg_backend_pid()`,
  );
  const { tls } = parseDatabaseUrl(directUrl(config));
  if (!ssl && local) return ok('encryption', 'not needed, the database is on this machine');
  const advice = 'Add sslmode=verify-full to the URL, and sslrootcert if the authority is your own.';
  if (!ssl) return warning('encryption', 'the connection to the database is not encrypted', advice);
  const text = `${version ?? 'TLS'}, sslmode=${tls?.mode ?? 'disable'}`;
  return tls?.mode === 'verify-full'
    ? ok('encryption', text)
    : warning('encryption', `${text}: nothing verifies that this is the right server`, advice);
}

/** A finding for each server of a URL that lists several. */
async function checkHosts(config: Config): Promise<Finding[]> {
  const { hosts } = parseDatabaseUrl(directUrl(config));
  if (hosts.length === 1) return [];
  const { primary: _, ...settings } = clientConfig(directUrl(config));
  return Promise.all(
    hosts.map(async ({ host, port }) => {
      const client = new DatabaseClient({ ...settings, host, port, connectionTimeoutMillis: TIMEOUT_MS });
      const name = `${host}:${port}`;
      try {
        await client.connect();
        return ok('database server', `${name} is the primary`);
      } catch (error) {
        if (client.readOnlyBy === 'in_hot_standby') return ok('database server', `${name} is a standby`);
        return warning('database server', `${name}: ${reasonOf(error)}`, 'It cannot replace the primary.');
      } finally {
        await client.end().catch(() => undefined);
      }
    }),
  );
}

async function checkReplication(client: DatabaseClient): Promise<Finding> {
  const facts = await rowOf<{ standbys: number; names: string; commit: string }>(
    client,
    `select (select count(*)::int from pg_stat_replication) as standbys,
       current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as commit`,
  );
  return assessReplication(facts);
}

/** @param facts number of connected standbys, and settings of the primary */
export function assessReplication(facts: { standbys: number; names: string; commit: string }): Finding {
  const { standbys, names, commit } = facts;
  if (commit === 'off') {
    const advice = 'Remove synchronous_commit=off: a crash of the database loses acknowledged changes.';
    return warning('replication', 'commits do not wait for the disk', advice);
  }
  const count = standbys === 1 ? '1 standby' : `${standbys} standbys`;
  if (names === '') {
    if (standbys === 0) return ok('replication', 'none; backups are the only copy');
    const advice = 'Set synchronous_standby_names, or a failover may lose the last changes.';
    return warning('replication', `${count}, asynchronous`, advice);
  }
  if (standbys > 0) return ok('replication', `${count}, synchronous (${names})`);
  return failure('replication', `no standby of ${names} is connected`, 'Every change waits until one connects.');
}

async function checkPooler(config: Config): Promise<Finding[]> {
  const { databaseUrl, databaseDirectUrl } = config;
  const direct = await inspectRoute(directUrl(config), TIMEOUT_MS);
  const problem = directProblem(direct, databaseDirectUrl !== '');
  if (problem !== null) {
    const advice = direct.sharesSessions ? 'The server does not start.' : 'Otherwise settings of sessions may be lost.';
    return [(direct.sharesSessions ? failure : warning)('pooler', problem, advice)];
  }
  if (databaseDirectUrl === '') return [];
  try {
    const pooled = await inspectRoute(databaseUrl, TIMEOUT_MS);
    if (pooled.target !== direct.target)
      return [failure('pooler', 'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases', 'Correct one.')];
    return [statementsOf(pooled.keepsStatements), await checkPooledSettings(databaseUrl)];
  } catch (error) {
    return [failure('pooler', `DATABASE_URL: ${reasonOf(error)}`, 'Start the pooler, or correct the URL.')];
  }
}

function statementsOf(keepsStatements: boolean): Finding {
  if (keepsStatements) return ok('pooler', 'responds and keeps prepared statements');
  const advice = 'Requests take longer. PgBouncer 1.21 and newer can: set max_prepared_statements there.';
  return warning('pooler', 'responds, but does not keep prepared statements', advice);
}

/** Settings that a pooler does not pass on are stored for the role; sessions that are older than that lack them. */
async function checkPooledSettings(url: string): Promise<Finding> {
  const client = new DatabaseClient({ ...clientConfig(url), connectionTimeoutMillis: TIMEOUT_MS });
  try {
    await client.connect();
    const names = Object.keys(ROLE_SETTINGS).map((name) => `'${name}'`);
    const { rows } = (await client.query(
      `select name, setting from pg_settings where name in (${names.join(', ')})`,
    )) as { rows: { name: string; setting: string }[] };
    const wrong = rows.filter(({ name, setting }) => setting !== ROLE_SETTINGS[name]).map(({ name }) => name);
    if (wrong.length === 0) return ok('pooled sessions', 'have the settings of Cairn');
    const advice = 'Run RECONNECT in the console of PgBouncer. If that does not help, set them with ALTER ROLE.';
    return warning('pooled sessions', `lack settings: ${wrong.join(', ')}`, advice);
  } finally {
    await client.end().catch(() => undefined);
  }
}
