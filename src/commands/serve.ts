import cluster from 'node:cluster';
import { readConfig } from '../config/env.js';
import { plainLogger } from '../core/logging/plain-logger.js';
import type { Ready } from '../core/process-group/messages.js';
import type { WorkKind } from '../core/worker/work-kinds.js';
import { requireDataFolder } from '../data-folder.js';
import { StartError } from '../start-error.js';
import { type Plan, Supervisor } from '../supervisor/supervisor.js';

/** What the processes do: serve requests, work in the background, or both. */
type Role = 'all' | 'api' | 'worker';

/**
 * Runs until the process is stopped.
 * @param options the types of background work, if it does any, default: all; and the number of processes that serve
 *   requests, default: that of the settings
 */
export async function serve(
  role: Role,
  { kinds, processes }: { readonly kinds?: readonly WorkKind[]; readonly processes?: number } = {},
): Promise<void> {
  if (cluster.isWorker)
    throw new StartError('Cairn starts its processes itself. Do not run it in the cluster mode of a process manager.');
  const config = readConfig(process.env);
  await requireDataFolder(config.dataDir);
  const log = plainLogger(config.logLevel);
  const plan = planOf(role, processes ?? config.processes, kinds);
  const supervisor = new Supervisor(config, log, plan);
  const stop = (code: number): void => {
    supervisor.stop().then(
      (isInOrder) => process.exit(isInOrder ? code : 1),
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
  const ready = await supervisor.start().catch(async (error: unknown) => {
    await supervisor.stop();
    throw error;
  });
  if (ready === undefined) return stop(1);
  announce(ready, plan);
}

function planOf(role: Role, processes: number, kinds: readonly WorkKind[] | undefined): Plan {
  const servers = role === 'worker' ? 0 : processes;
  return {
    servers,
    hasWorker: role === 'worker' || (role === 'all' && servers > 1),
    serverWorks: role === 'all' && servers === 1,
    ...(kinds === undefined ? {} : { kinds }),
  };
}

function announce({ url, administrator }: Ready, { servers, hasWorker }: Plan): void {
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
  if (servers > 1)
    say(`${servers} processes serve requests${hasWorker ? ', and one more does the background work' : ''}.`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
