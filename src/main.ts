import 'reflect-metadata';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.js';
import { type EmbeddedPostgres, startEmbedded } from './core/database/embedded/start-embedded.js';
import { loadExtensions } from './core/extensions/load-extensions.js';
import { createApp } from './core/http/app/create-app.js';
import { requireSameInstallation } from './core/installation.js';
import type { Logger } from './core/logging/logger.js';
import type { WorkKind } from './core/worker/work-kinds.js';
import { LiveProcesses } from './core/worker/live-processes.js';
import { Workers } from './core/worker/workers.js';
import { requireDataFolder } from './data-folder.js';
import { migrate } from './migrate.js';
import { AdminBootstrap } from './modules/auth/index.js';
import { startProblem } from './start-error.js';

/** What a process does: serve requests, work in the background, or both. */
export type ProcessRole = 'all' | 'api' | 'worker';

export interface RunningServer {
  readonly app: NestExpressApplication;
  /** URL of the app; null for a process that is only a worker. */
  readonly url: string | null;
  /** The administrator account that this start created. */
  readonly administrator: { readonly username: string; readonly password: string | null } | null;
  /** @param graceMs how long open requests may take to complete before their connections are closed */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Longer than proxies and clients keep idle connections (usually 60 s), so that they never send on one that is closing.
 */
const IDLE_CONNECTION_MS = 75_000;
/** Uploads may take hours. A stop does not wait for them, because they can be resumed. */
const REQUEST_GRACE_MS = 10_000;

/**
 * Starts a process on a migrated database: the embedded one unless `DATABASE_URL` is set.
 * @param kinds types of background work, if it does any; default: all
 * @throws StartError, EmbeddedPostgresError, ExtensionError, InstallationError, NewerDatabaseError: each has a message of one sentence for the person who started the process
 */
export async function start(
  config: Config,
  log: Logger,
  role: ProcessRole,
  kinds?: readonly WorkKind[],
): Promise<RunningServer> {
  await requireDataFolder(config.dataDir);
  const extensions = await loadExtensions(config.extensions);
  const database =
    config.databaseUrl === '' ? await startEmbedded({ dataDir: config.dataDir, log: embeddedLog(log) }) : null;
  const settings = { ...config, databaseUrl: database?.url ?? config.databaseUrl };
  let app: NestExpressApplication | undefined;
  try {
    await migrate(settings, extensions);
    await requireSameInstallation(settings);
    app = await createApp(AppModule.of(settings, log, extensions), config, log);
    return await run(app, database, config, role, kinds);
  } catch (error) {
    await app?.close().catch(() => undefined); // report the first error
    await database?.stop();
    throw startProblem(error, config);
  }
}

async function run(
  app: NestExpressApplication,
  database: EmbeddedPostgres | null,
  config: Config,
  role: ProcessRole,
  kinds: readonly WorkKind[] | undefined,
): Promise<RunningServer> {
  await app.init();
  const administrator = await app.get(AdminBootstrap).ensureAdministrator();
  await app.get(LiveProcesses).start();
  if (role !== 'api') app.get(Workers).start(kinds);
  // Last, without any wait after it: the caller handles uncaught errors before the first request arrives.
  const url = role === 'worker' ? null : await listen(app, config);
  return {
    app,
    url,
    administrator,
    async stop(graceMs = REQUEST_GRACE_MS) {
      database?.detach(); // a signal to the process group reached the database, too
      const server: Server = app.getHttpServer();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await app.close().finally(() => clearTimeout(cut));
      await database?.stop();
    },
  };
}

async function listen(app: NestExpressApplication, config: Config): Promise<string> {
  const server: Server = app.getHttpServer();
  server.listen(config.port, config.host); // the framework's listen would log the error, which is already reported
  await once(server, 'listening');
  server.requestTimeout = 0; // uploads may take any time; headers and idle connections remain limited
  server.keepAliveTimeout = IDLE_CONNECTION_MS;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const reachable = ['0.0.0.0', '::'].includes(config.host) ? 'localhost' : host;
  return config.publicUrl || `http://${reachable}:${(server.address() as AddressInfo).port}`;
}

const embeddedLog = (
  log: Logger,
): { info(text: string): void; warn(text: string): void; error(text: string): void } => ({
  info: (text) => log.debug(text),
  warn: (text) => log.warn(text),
  error: (text) => log.error(text),
});
