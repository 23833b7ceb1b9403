import { join } from 'node:path';
import { fileError } from './embedded-postgres.error.js';
import type { Transport } from './endpoint.js';
import { createJoiner, runAsGuest } from './guest.js';
import { createOwnerLock } from './owner-lock.js';
import { type Log, runAsOwner } from './owner.js';
import { preparePlace } from './place.js';

export type { Log } from './owner.js';

/** A PostgreSQL server of our own, ready for connections. */
export interface EmbeddedPostgres {
  /** `postgres://` URL of the database for pg, TypeORM and libpq; it holds the password, so keep it out of logs. */
  url: string;
  /** The server's version, e.g. `18.4`. */
  version: string;
  /** To be called when this process begins to stop: a server that ends from now on stays down. */
  letGo(): void;
  /** Ends the server when this process runs it. Close the connections first; calling it again is harmless. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Everything lies in `<dataDir>/postgres`, which is made when missing. */
  dataDir: string;
  log: Log;
  /** Unix socket or loopback TCP; by default a socket where the platform has one. */
  transport?: Transport;
  /** PostgreSQL settings over the built-in ones, e.g. `{ fsync: 'off' }` for throwaway databases. */
  settings?: Record<string, string>;
}

/**
 * Starts PostgreSQL on `dataDir`, or shares the server that another process of this machine runs there. It is
 * started again when it dies, and taken over when the process that ran it ends.
 *
 * @throws EmbeddedPostgresError with one sentence that tells what is wrong and what to do
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    return once(await start(options));
  } catch (error) {
    throw fileError(error, join(options.dataDir, 'postgres'));
  }
}

async function start({ dataDir, log, transport, settings = {} }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = await preparePlace(dataDir);
  const lock = createOwnerLock(place.lockFile);
  const chosen = transport ?? (process.platform === 'win32' ? 'tcp' : 'socket');
  const takeOver = async () =>
    (await lock.acquire()) ? runAsOwner(place, lock, { log, transport: chosen, settings }) : undefined;
  const join = createJoiner(place);
  for (;;) {
    const own = await takeOver();
    if (own) return own;
    const joined = await join();
    if (joined) return runAsGuest(joined, takeOver, log);
  }
}

/** The same server with a stop() that does its work once. */
function once(running: EmbeddedPostgres): EmbeddedPostgres {
  let stopping: Promise<void> | undefined;
  return { ...running, stop: () => (stopping ??= running.stop()) };
}
