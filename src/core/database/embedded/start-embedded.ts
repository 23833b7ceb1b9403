import { join } from 'node:path';
import { fileError } from './embedded-postgres.error.js';
import type { Transport } from './endpoint.js';
import { createJoiner, runAsGuest } from './guest.js';
import { createOwnerLock } from './owner-lock.js';
import type { Log } from './keep-running.js';
import { runAsOwner } from './owner.js';
import { prepareLayout } from './server-layout.js';

export type { Log } from './keep-running.js';

/** A PostgreSQL server run by Cairn, ready for connections. */
export interface EmbeddedPostgres {
  /** `postgres://` URL of the database for pg, TypeORM and libpq. Contains the password, so keep it out of logs. */
  url: string;
  /** The server's version, e.g. `18.4`. */
  version: string;
  /** Whether another process ran the server at first. It may stop when that process ends. */
  isGuest: boolean;
  /** Call it when this process begins to shut down: a server that exits from then on is not restarted. */
  detach(): void;
  /**
   * Stops the server if this process runs it. Close all connections first. Idempotent.
   * @param withinMs after this time the server is killed; it then recovers at its next start
   */
  stop(withinMs?: number): Promise<void>;
}

export interface EmbeddedOptions {
  /** The files are in `<dataDir>/postgres`, which is created if it is missing. */
  dataDir: string;
  log: Log;
  /** Unix socket or loopback TCP; defaults to a socket if the platform supports it. */
  transport?: Transport;
  /** PostgreSQL settings that override the built-in ones, e.g. `{ fsync: 'off' }` for throwaway databases. */
  settings?: Record<string, string>;
}

/**
 * Starts PostgreSQL on `dataDir`, or shares the server that another process on this machine runs there. If the server
 * dies it is restarted; if the process that runs it exits, another process takes over.
 *
 * @throws EmbeddedPostgresError with one sentence that says what is wrong and what to do
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    return once(await start(options));
  } catch (error) {
    throw fileError(error, join(options.dataDir, 'postgres'));
  }
}

async function start({ dataDir, log, transport, settings = {} }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const layout = await prepareLayout(dataDir);
  const lock = createOwnerLock(layout.lockFile);
  const chosen = transport ?? (process.platform === 'win32' ? 'tcp' : 'socket');
  const takeOver = async () =>
    (await lock.acquire()) ? runAsOwner(layout, lock, { log, transport: chosen, settings }) : undefined;
  const join = createJoiner(layout);
  for (;;) {
    const own = await takeOver();
    if (own) return own;
    const joined = await join();
    if (joined) return runAsGuest(joined, takeOver, log);
  }
}

/** The same server with an idempotent stop(). */
function once(running: EmbeddedPostgres): EmbeddedPostgres {
  let stopping: Promise<void> | undefined;
  return { ...running, stop: (withinMs) => (stopping ??= running.stop(withinMs)) };
}
