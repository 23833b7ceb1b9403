import { setTimeout as delay } from 'node:timers/promises';
import { readPassword } from './cluster.js';
import { EmbeddedPostgresError, messageOf } from './embedded-postgres.error.js';
import { connectionUrl } from './endpoint.js';
import type { Log } from './keep-running.js';
import type { Running } from './owner.js';
import type { ServerLayout } from './server-layout.js';
import { readPostmasterPid } from './postmaster-pid.js';
import { waitUntilReady } from './readiness.js';

const joinMs = 60_000;
const attemptMs = 300;
const watchMs = 500;

/**
 * Waits for the server that another process on this machine starts or runs on the same data folder. Resolves to
 * undefined if there is none yet; throws if there is none within a minute.
 */
export function createJoiner(layout: ServerLayout): () => Promise<{ url: string; version: string } | undefined> {
  const deadline = Date.now() + joinMs;
  return async () => {
    const found = await readPostmasterPid(layout.cluster);
    if (found?.port !== undefined) {
      const endpoint = { host: found.socketDirectory || '127.0.0.1', port: found.port };
      const url = connectionUrl(endpoint, await readPassword(layout));
      const end = Date.now() + attemptMs;
      const version = await waitUntilReady(url, () => Date.now() < end);
      if (version !== undefined) return { url, version };
    }
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `Another Cairn process uses ${layout.root}, but its PostgreSQL does not respond: stop that process or, if there is none, remove ${layout.lockFile}.`,
      );
    }
    await delay(50);
    return undefined;
  };
}

/**
 * Uses a server that another process runs. When that process and its server exit, this process takes over: `takeOver`
 * resolves to the new server once it has the lock, and to undefined while the other process is alive.
 */
export function runAsGuest(
  joined: { url: string; version: string },
  takeOver: () => Promise<Running | undefined>,
  log: Log,
): Running {
  let own: Running | undefined;
  const stopped = new AbortController();

  const watch = async () => {
    while (!own) {
      await delay(watchMs, undefined, { signal: stopped.signal, ref: false });
      own = await takeOver();
    }
    const moved = own.url === joined.url ? '' : ' at another address: restart this process to reach it';
    log.info(`The process that ran the embedded PostgreSQL has ended. This process runs it now${moved}.`);
  };
  const watching = watch().catch((error: unknown) => {
    if (!stopped.signal.aborted)
      log.error(`The embedded PostgreSQL stopped and cannot be started: ${messageOf(error)}`);
  });

  return {
    ...joined,
    isGuest: true,
    detach() {
      stopped.abort();
      own?.detach();
    },
    async stop(withinMs) {
      stopped.abort();
      await watching;
      await own?.stop(withinMs);
    },
  };
}
