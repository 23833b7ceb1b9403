import type { Logger } from '../core/logging/logger.js';
import { createLogger } from '../core/logging/logger.js';
import { readConfig } from '../config/env.js';
import type { WorkKind } from '../core/worker/work-kinds.js';
import { type ProcessRole, type RunningServer, start } from '../main.js';

/** How long a stop may take before the process ends all the same. */
const STOP_TIMEOUT_MS = 30_000;

/**
 * Runs until the process is told to end.
 * @param kinds what it works on, if it works in the background; by default everything
 */
export async function serve(role: ProcessRole, kinds?: readonly WorkKind[]): Promise<void> {
  const config = readConfig(process.env);
  const log = createLogger(config.logLevel);
  const server = await start(config, log, role, kinds);
  stopOnSignal(server, log);
  announce(server);
}

function announce({ url, administrator }: RunningServer): void {
  if (administrator !== null) {
    const password =
      administrator.password === null ? 'the password of ADMIN_PASSWORD' : `password ${administrator.password}`;
    say(`Made the first administrator: user ${administrator.username}, ${password}`);
    if (administrator.password !== null) say('This password is shown only now. Change it after the first log-in.');
  }
  if (url === null) return say('Cairn worker is running. Ctrl-C stops it.');
  say(`Cairn is ready:
  app            ${url}/
  API documents  ${url}/api/docs
  health         ${url}/api/server/health/
Ctrl-C stops it.`);
}

function stopOnSignal(server: RunningServer, log: Logger): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      log.error('could not stop in time');
      process.exit(1);
    }, STOP_TIMEOUT_MS).unref();
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
