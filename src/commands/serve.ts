import { fork } from 'node:child_process';
import { OpenRequests } from '../core/http/app/open-requests.js';
import { type Logger, createLogger } from '../core/logging/logger.js';
import { readConfig } from '../config/env.js';
import type { WorkKind } from '../core/worker/work-kinds.js';
import { type ProcessRole, type RunningServer, start } from '../main.js';

/** Time after which a stopping process exits even if the stop is not complete. */
const STOP_TIMEOUT_MS = 30_000;
/** After an unexpected error no request can continue. This leaves time for sending the error responses. */
const FAULT_GRACE_MS = 1000;

/**
 * Runs until the process is stopped.
 * @param kinds types of background work, if it does any; default: all
 */
export async function serve(role: ProcessRole, kinds?: readonly WorkKind[]): Promise<void> {
  const config = readConfig(process.env);
  const log = createLogger(config.logLevel);
  const supervised = isSupervised();
  const server = await start(config, log, role, kinds);
  endInOrder(server, log, supervised);
  announce(server);
}

function announce({ url, administrator }: RunningServer): void {
  if (administrator !== null) {
    const password =
      administrator.password === null ? 'the password of ADMIN_PASSWORD' : `password ${administrator.password}`;
    say(`Created the administrator account: user ${administrator.username}, ${password}`);
    if (administrator.password !== null) say('This password is not shown again. Change it after you log in.');
  }
  if (url === null) return say('Cairn worker is running. Ctrl-C stops it.');
  say(`Cairn is ready:
  app            ${url}/
  API documents  ${url}/api/docs
  health         ${url}/api/server/health/
Ctrl-C stops it.`);
}

/** Stops on signals and when the supervising process exits. An uncaught error restarts the process. */
function endInOrder(server: RunningServer, log: Logger, supervised: boolean): void {
  let stopping = false;
  const stop = (then: () => void, graceMs?: number): void => {
    if (stopping) return;
    stopping = true;
    const timeout = setTimeout(() => {
      log.error('could not stop in time');
      process.exit(1);
    }, STOP_TIMEOUT_MS).unref();
    server.stop(graceMs).then(
      () => {
        clearTimeout(timeout);
        then();
      },
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  const end = (): void => stop(() => process.exit(0));
  process.on('SIGINT', end).on('SIGTERM', end).on('disconnect', end);
  if (supervised && !isSupervised()) end(); // it exited during the start

  const restart = (): void => (supervised ? process.exit(1) : restartInChild(log));
  const fault = (error: unknown): void => {
    const open = server.app.get(OpenRequests).failAll();
    server.app.getHttpServer().close(); // new connections wait for the next process
    log.fatal({ err: error, open }, 'unexpected error; the process stops and is restarted');
    stop(restart, FAULT_GRACE_MS);
  };
  process.on('uncaughtException', fault).on('unhandledRejection', fault);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** A process that ran for at least this long is restarted without delay. */
const STABLE_MS = 60_000;

/** Whether a parent process monitors this one and restarts it. */
const isSupervised = (): boolean => process.connected;

/**
 * Runs this program in a child process, and restarts it whenever it fails: after an unexpected error the state of a
 * process is unknown, so it must not continue. This process exits on a signal, or when the child exits normally.
 */
function restartInChild(log: Logger): void {
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
