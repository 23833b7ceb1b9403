import { setTimeout as delay } from 'node:timers/promises';
import { SESSION_SETTINGS } from '../session-settings.js';
import { provideBinaries } from './binaries.js';
import { ensureCluster, readPassword } from './cluster.js';
import { messageOf } from './embedded-postgres.error.js';
import { connectionUrl, endpointSettings, prepareEndpoint, removeEndpoint, type Transport } from './endpoint.js';
import type { OwnerLock } from './owner-lock.js';
import type { ServerLayout } from './server-layout.js';
import { type Postmaster, type ServerPlan, startPostmaster, stopAbandoned, trimServerLog } from './postmaster.js';

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
  /** Whether another process runs the server. It may stop when that process ends. */
  isGuest: boolean;
  /** This process is about to stop: from now on a server that exits is neither restarted nor taken over. */
  detach(): void;
  stop(): Promise<void>;
}

const baseSettings: Readonly<Record<string, string>> = {
  max_connections: '100',
  shared_buffers: '128MB',
  // With "minimal", a sequence can return values again after a crash, if the transaction that created it has used it.
  wal_level: 'replica',
  // This server has no replicas.
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
  layout: ServerLayout,
  lock: OwnerLock,
  options: { log: Log; transport: Transport; settings: Record<string, string> },
): Promise<Running> {
  try {
    const binaries = await provideBinaries(layout.root, layout.account);
    await stopAbandoned(layout, binaries);
    await ensureCluster(layout, binaries);
    const endpoint = await prepareEndpoint(layout, options.transport);
    const url = connectionUrl(endpoint, await readPassword(layout));
    const settings = { ...baseSettings, ...options.settings, ...endpointSettings(endpoint) };
    const plan = { layout, binaries, settings, url };
    const first = await startPostmaster(plan);
    const keeper = keepRunning(plan, first, options.log);
    const stop = async () => {
      await keeper.stop();
      await removeEndpoint(endpoint, layout);
      lock.release();
    };
    return { url, version: first.version, isGuest: false, detach: () => keeper.detach(), stop };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Restarts the server whenever it exits unexpectedly, or could not be started again, up to five times a minute. */
function keepRunning(plan: ServerPlan, first: Postmaster, log: Log): Pick<Running, 'detach' | 'stop'> {
  let current = first;
  let stopping = false;
  let detach = false;
  const restarts: number[] = [];
  const trimmer = setInterval(() => void trimServerLog(plan.layout).catch(() => undefined), trimMs);
  trimmer.unref();

  const watch = async () => {
    let failure: unknown;
    for (;;) {
      await current.exited;
      if (stopping) return;
      if (detach) return log.warn('The embedded PostgreSQL stopped before this process.');
      const now = Date.now();
      while (restarts[0] !== undefined && restarts[0] < now - restartWindowMs) restarts.shift();
      if (restarts.length >= mostRestarts) break;
      restarts.push(now);
      log.warn(`The embedded PostgreSQL stopped unexpectedly and is restarted (its log: ${plan.layout.logFile}).`);
      await delay(100 * restarts.length);
      if (stopping || detach) return;
      try {
        current = await startPostmaster(plan);
        failure = undefined;
        log.info('The embedded PostgreSQL is running again.');
      } catch (error) {
        // It may have been killed again, or lack memory for a moment.
        failure = error;
        log.warn(`The embedded PostgreSQL could not be started: ${messageOf(error)}`);
      }
    }
    if (failure !== undefined) throw failure;
    log.error(
      `The embedded PostgreSQL stopped ${mostRestarts + 1} times within a minute and is not restarted: see ${plan.layout.logFile}.`,
    );
  };
  const watching = watch().catch((error: unknown) => {
    log.error(`The embedded PostgreSQL cannot be restarted: ${messageOf(error)}`);
  });

  return {
    detach() {
      detach = true;
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
