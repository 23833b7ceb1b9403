import { SESSION_SETTINGS } from '../session-settings.js';
import { provideBinaries } from './binaries.js';
import { ensureCluster, readPassword } from './cluster.js';
import { connectionUrl, endpointSettings, prepareEndpoint, removeEndpoint, type Transport } from './endpoint.js';
import { keepRunning, type Log } from './keep-running.js';
import type { OwnerLock } from './owner-lock.js';
import type { ServerLayout } from './server-layout.js';
import { startPostmaster, stopAbandoned, trimServerLog } from './postmaster.js';

/** A server in use, no matter which process runs it. */
export interface Running {
  url: string;
  version: string;
  /** Whether another process runs the server. It may stop when that process ends. */
  isGuest: boolean;
  /** This process is about to stop: from now on a server that exits is neither restarted nor taken over. */
  detach(): void;
  stop(withinMs?: number): Promise<void>;
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
    const { log } = options;
    const keeper = keepRunning(first, { start: () => startPostmaster(plan), log, logFile: layout.logFile });
    const trimmer = setInterval(() => void trimServerLog(layout).catch(() => undefined), trimMs);
    trimmer.unref();
    const stop = async (withinMs?: number) => {
      clearInterval(trimmer);
      await keeper.stop(withinMs);
      await removeEndpoint(endpoint, layout);
      lock.release();
    };
    return { url, version: first.version, isGuest: false, detach: () => keeper.detach(), stop };
  } catch (error) {
    lock.release();
    throw error;
  }
}
