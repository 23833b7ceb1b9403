import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from './embedded-postgres.error.js';
import type { Postmaster } from './postmaster.js';

/** The part of a logger that the supervisor needs; pino's loggers implement it. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A server that ran for this long is restarted after the first pause again. */
const STABLE_MS = 60_000;

interface Supervised {
  /** Starts the server again. */
  readonly start: () => Promise<Postmaster>;
  readonly log: Log;
  readonly logFile: string;
  /** Rejects when the signal is aborted. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** A server that is restarted when it exits. */
export interface KeptRunning {
  /** From now on, a server that exits is not restarted. */
  detach(): void;
  stop(withinMs?: number): Promise<void>;
}

/**
 * Restarts the server whenever it exits unexpectedly. The pause before each attempt doubles, up to half a minute, until
 * the server has run for a minute.
 */
export function keepRunning(
  first: Postmaster,
  {
    start,
    log,
    logFile,
    pause = (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
    now = () => performance.now(),
  }: Supervised,
): KeptRunning {
  let current = first;
  let detached = false;
  let attempts = 0;
  const stopping = new AbortController();
  const isEnding = (): boolean => detached || stopping.signal.aborted;

  /** @returns whether the server runs again; false if this process is stopping */
  const restart = async (): Promise<boolean> => {
    for (let reason = `stopped unexpectedly (its log: ${logFile})`; ;) {
      const milliseconds = Math.min(FIRST_PAUSE_MS * 2 ** attempts, LONGEST_PAUSE_MS);
      attempts += 1;
      log.warn(`The embedded PostgreSQL ${reason}. It is started again in ${milliseconds / 1000} s.`);
      await pause(milliseconds, stopping.signal);
      if (isEnding()) return false;
      try {
        current = await start();
        if (stopping.signal.aborted) return false; // stop() is waiting, and then stops it
        log.info('The embedded PostgreSQL is running again.');
        return true;
      } catch (error) {
        // It may have been killed again, or lack memory or disk space for a while.
        reason = `could not be started: ${messageOf(error)}`;
      }
    }
  };

  const watch = async (): Promise<void> => {
    do {
      const begin = now();
      await current.exited;
      if (stopping.signal.aborted) return;
      if (detached) return log.warn('The embedded PostgreSQL stopped before this process.');
      if (now() - begin >= STABLE_MS) attempts = 0;
    } while (await restart());
  };
  const watching = watch().catch((error: unknown) => {
    if (!stopping.signal.aborted) log.error(`The embedded PostgreSQL cannot be restarted: ${messageOf(error)}`);
  });

  return {
    detach() {
      detached = true;
    },
    async stop(withinMs) {
      stopping.abort();
      await current.stop(withinMs);
      await watching;
      await current.stop(withinMs); // the first call may have met a restart
    },
  };
}
