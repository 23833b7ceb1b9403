import cluster from 'node:cluster';
import { fork } from 'node:child_process';
import { OpenRequests } from '../core/http/app/open-requests.js';
import { type Logger, createLogger } from '../core/logging/logger.js';
import type { Config } from '../config/config.js';
import { readConfig } from '../config/env.js';
import type { WorkKind } from '../core/worker/work-kinds.js';
import { type ProcessRole, type RunningServer, start } from '../main.js';
import type { Ready } from './group/member.js';
import { ProcessGroup } from './group/process-group.js';
import { RestartPauses } from './group/restart-pauses.js';

/** Time after which a stopping process exits even if the stop is not complete. */
const STOP_TIMEOUT_MS = 30_000;
/** After an unexpected error no request can continue. This leaves time for sending the error responses. */
const FAULT_GRACE_MS = 1000;

/**
 * Runs until the process is stopped.
 * @param options the types of background work, if it does any, default: all; and the number of processes that serve
 *   requests, default: that of the settings
 */
export async function serve(
  role: ProcessRole,
  { kinds, processes }: { readonly kinds?: readonly WorkKind[]; readonly processes?: number } = {},
): Promise<void> {
  const config = readConfig(process.env);
  const log = createLogger(config.logLevel);
  const supervised = isSupervised();
  const count = processes ?? config.processes;
  if (count > 1 && role !== 'worker') return serveInGroup(config, log, count, role === 'all');
  const server = await start(config, log, role, kinds);
  endInOrder(server, log, supervised);
  if (cluster.isWorker) report(server);
  else announce(server);
}

async function serveInGroup(config: Config, log: Logger, servers: number, works: boolean): Promise<void> {
  const group = await ProcessGroup.of(config, log, servers, works);
  const stop = (code: number): void => {
    group.stop().then(
      () => process.exit(code),
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', () => stop(0)).on('SIGTERM', () => stop(0));
  const fault = (error: unknown): void => {
    log.fatal({ err: error }, 'unexpected error; all processes stop');
    stop(1);
  };
  process.on('uncaughtException', fault).on('unhandledRejection', fault);
  const ready = await group.start();
  if (ready === undefined) return stop(1);
  announce(ready);
  say(`${servers} processes serve requests${works ? ', and one more does the background work' : ''}.`);
}

function announce({ url, administrator }: Pick<RunningServer, 'url' | 'administrator'>): void {
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

/** Tells the parent of the group that this process is ready. */
function report({ url, administrator }: RunningServer): void {
  const ready: Ready = { cairn: 'ready', url, administrator };
  process.send?.(ready);
}

/** Whether a parent process monitors this one and restarts it. */
const isSupervised = (): boolean => process.connected;

/**
 * Runs this program in a child process, and restarts it whenever it fails: after an unexpected error the state of a
 * process is unknown, so it must not continue. This process exits on a signal, or when the child exits normally.
 */
function restartInChild(log: Logger): void {
  const [, program = '', ...args] = process.argv;
  let stopping = false;
  const pauses = new RestartPauses();

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
      startLater(pauses.after(performance.now() - startedAt));
    });
  };
  const startLater = (pauseMs: number): void => {
    const end = (): void => process.exit(1);
    process.once('SIGINT', end).once('SIGTERM', end);
    setTimeout(() => {
      process.off('SIGINT', end).off('SIGTERM', end);
      start();
    }, pauseMs);
  };
  start();
}
