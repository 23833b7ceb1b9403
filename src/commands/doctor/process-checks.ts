import type { Client } from 'pg';
import type { Config } from '../../config/config.js';
import { CONNECTIONS_BESIDE_POOL, requestPoolSize } from '../../config/pool-sizes.js';
import { CONNECTION_NAME } from '../../core/database/process-connection.js';
import { LISTENER_CONNECTIONS } from '../../core/events/listener-transactions.js';
import { type Finding, ok, warning } from './finding.js';

/** A process of Cairn that is connected to the database. */
export interface RunningProcess {
  /** `server`, `server+worker`, `worker`, `worker:events:webhooks` for some types of work, or `request-process`. */
  readonly role: string;
  readonly version: string;
}

/** The processes that run on this database, in all places, and whether it accepts enough connections for them. */
export async function checkProcesses(client: Client, config: Config): Promise<Finding[]> {
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity
     where datname = current_database() and application_name like $1`,
    [`${CONNECTION_NAME}: %`],
  );
  const running = rows.flatMap(({ name }) => readProcess(name) ?? []);
  const { rows: limits } = await client.query<{ most: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most`,
  );
  const own = config.processes > 1 ? config.processes + 1 : 1;
  const ofRequests = running.filter(({ role }) => role === 'request-process').length;
  const counts = {
    processes: Math.max(running.length - ofRequests, own),
    workers: Math.max(running.filter(({ role }) => /worker(?!:)|:events/.test(role)).length, 1),
    requestProcesses: Math.max(ofRequests, config.requests.processes),
  };
  return [assessProcesses(running), assessConnections(counts, config.databasePoolSize, limits[0]?.most ?? Infinity)];
}

function readProcess(name: string): RunningProcess | undefined {
  const [, role, version] = /^cairn locks: (\S+) (\S+) /.exec(name) ?? [];
  return role === undefined || version === undefined ? undefined : { role, version };
}

export function assessProcesses(running: readonly RunningProcess[]): Finding {
  if (running.length === 0) return ok('processes', 'none runs on this database');
  const versions = [...new Set(running.map(({ version }) => version))].toSorted();
  const text = versions.map((version) => countText(running, version)).join('; ');
  if (versions.length > 1)
    return warning('processes', text, 'During a rolling upgrade, this is as expected. Then, stop the older processes.');
  if (!running.some(({ role }) => role.includes('worker')))
    return warning('processes', text, 'Nothing does the background work. Start "cairn worker".');
  return ok('processes', text);
}

function countText(running: readonly RunningProcess[], version: string): string {
  const roles = running.filter((one) => one.version === version).map(({ role }) => role);
  const counts = [...new Set(roles)].toSorted().map((role) => `${roles.filter((one) => one === role).length} ${role}`);
  return `${counts.join(', ')} (version ${version})`;
}

interface ProcessCounts {
  /** Without request processes. */
  readonly processes: number;
  /** Those of them that publish events. */
  readonly workers: number;
  readonly requestProcesses: number;
}

/** @param most connections that the database accepts */
export function assessConnections(
  { processes, workers, requestProcesses }: ProcessCounts,
  poolSize: number,
  most: number,
): Finding {
  const needed =
    processes * (poolSize + CONNECTIONS_BESIDE_POOL) +
    workers * LISTENER_CONNECTIONS +
    requestProcesses * (requestPoolSize(poolSize) + CONNECTIONS_BESIDE_POOL);
  const text = `${processes + requestProcesses} process(es) use up to ${needed} of ${most}`;
  if (needed <= most) return ok('connections', text);
  return warning(
    'connections',
    text,
    "Increase PostgreSQL's max_connections, lower DATABASE_POOL_SIZE, or use a connection pooler.",
  );
}
