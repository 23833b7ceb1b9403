import { fork } from 'node:child_process';
import type { Logger } from '../core/logging/logger.js';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** A process that ran for at least this long is restarted without delay. */
const STABLE_MS = 60_000;

/** Whether a parent process monitors this one and restarts it. */
export const isSupervised = (): boolean => process.connected;

/**
 * Runs this program in a child process, and restarts it whenever it fails: after an unexpected error the state of a
 * process is unknown, so it must not continue. This process exits on a signal, or when the child exits normally.
 */
export function restartInChild(log: Logger): void {
  const [, program = '', ...args] = process.argv;
  let stopping = false;
  let pause = FIRST_PAUSE_MS;

  const start = (): void => {
    const startedAt = performance.now();
    const child = fork(program, args);
    const stop = (): void => {
      stopping = true;
      child.kill('SIGTERM');
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
    child.once('error', (error) => log.error({ err: error }, 'the server could not be restarted'));
    child.once('close', (code, signal) => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      if (stopping && signal === 'SIGTERM') process.exit(0); // it was stopped during its start
      if (stopping || code === 0) process.exit(code ?? 1);
      pause = performance.now() - startedAt > STABLE_MS ? FIRST_PAUSE_MS : Math.min(pause * 2, LONGEST_PAUSE_MS);
      startLater();
    });
  };
  const startLater = (): void => {
    const end = (): void => process.exit(1);
    process.once('SIGINT', end).once('SIGTERM', end);
    setTimeout(() => {
      process.off('SIGINT', end).off('SIGTERM', end);
      start();
    }, pause);
  };
  start();
}
