import { setTimeout as delay } from 'node:timers/promises';
import { SESSION_SETTINGS } from '../session-settings.js';
import { provideBinaries } from './binaries.js';
import { ensureCluster, readPassword } from './cluster.js';
import { messageOf } from './embedded-postgres.error.js';
import { type Transport, connectionUrl, endpointSettings, prepareEndpoint, removeEndpoint } from './endpoint.js';
import type { OwnerLock } from './owner-lock.js';
import type { Place } from './place.js';
import { type Postmaster, type ServerPlan, startPostmaster, stopAbandoned } from './postmaster.js';
import { trimServerLog } from './server-log.js';

/** The part of a logger that the supervisor needs; pino's loggers implement it. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** A server in use, no matter which process runs it. */
export interface Running {
  url: string;
  version: string;
  /** This process is about to stop: from now on a server that exits is neither restarted nor taken over. */
  letGo(): void;
  stop(): Promise<void>;
}

const baseSettings: Readonly<Record<string, string>> = {
  max_connections: '100',
  shared_buffers: '128MB',
  // This server has no replicas.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  ...SESSION_SETTINGS,
  synchronous_commit: 'on',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
};

const mostRestarts = 5;
const restartWindowMs = 60_000;
const trimMs = 60_000;

/** Creates the cluster if needed, starts its server and keeps it running. `lock` must be held; stop() releases it. */
export async function runAsOwner(
  place: Place,
  lock: OwnerLock,
  options: { log: Log; transport: Transport; settings: Record<string, string> },
): Promise<Running> {
  try {
    const binaries = await provideBinaries(place.root, place.account);
    await stopAbandoned(place, binaries);
    await ensureCluster(place, binaries);
    const endpoint = await prepareEndpoint(place, options.transport);
    const url = connectionUrl(endpoint, await readPassword(place));
    const settings = { ...baseSettings, ...options.settings, ...endpointSettings(endpoint) };
    const plan = { place, binaries, settings, url };
    const first = await startPostmaster(plan);
    const keeper = keepRunning(plan, first, options.log);
    const stop = async () => {
      await keeper.stop();
      await removeEndpoint(endpoint, place);
      lock.release();
    };
    return { url, version: first.version, letGo: () => keeper.letGo(), stop };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Restarts the server whenever it exits unexpectedly, up to five times a minute. */
function keepRunning(plan: ServerPlan, first: Postmaster, log: Log): Pick<Running, 'letGo' | 'stop'> {
  let current = first;
  let stopping = false;
  let letGo = false;
  const restarts: number[] = [];
  const trimmer = setInterval(() => void trimServerLog(plan.place).catch(() => undefined), trimMs);
  trimmer.unref();

  const watch = async () => {
    for (;;) {
      await current.exited;
      if (stopping) return;
      if (letGo) return log.warn('The embedded PostgreSQL ended before this process had stopped.');
      const now = Date.now();
      while (restarts[0] !== undefined && restarts[0] < now - restartWindowMs) restarts.shift();
      if (restarts.length >= mostRestarts) break;
      restarts.push(now);
      log.warn(`The embedded PostgreSQL ended by itself; starting it again (its log: ${plan.place.logFile}).`);
      await delay(100 * restarts.length);
      if (stopping || letGo) return;
      current = await startPostmaster(plan);
      log.info('The embedded PostgreSQL runs again.');
    }
    log.error(
      `The embedded PostgreSQL ended ${mostRestarts + 1} times within a minute and stays down: see ${plan.place.logFile}.`,
    );
  };
  const watching = watch().catch((error: unknown) => {
    log.error(`The embedded PostgreSQL cannot be started again: ${messageOf(error)}`);
  });

  return {
    letGo() {
      letGo = true;
    },
    async stop() {
      stopping = true;
      clearInterval(trimmer);
      await current.stop();
      await watching;
      await current.stop(); // the first call may have met a restart
    },
  };
}
