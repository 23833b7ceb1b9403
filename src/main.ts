import 'reflect-metadata';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.js';
import { requireRoutes } from './core/database/pooler.js';
import { loadExtensions } from './core/extensions/load-extensions.js';
import { createApp } from './core/http/app/create-app.js';
import { type Installation, mediaUrlWarning, requireSameInstallation } from './core/database/installation.js';
import type { Logger } from './core/logging/logger.js';
import { claimMediaUrl, isBucketProblem, requireOwnUrl } from './core/media-storage/bucket-owner.js';
import type { Ready } from './core/process-group/messages.js';
import { WORK_KINDS, type WorkKind } from './core/worker/work-kinds.js';
import { LiveProcesses } from './core/worker/live-processes.js';
import { startTracing, type StopTracing } from './core/tracing/start-tracing.js';
import { Workers } from './core/worker/workers.js';
import { readBrokerFiles } from './engines/event-broker/broker.js';
import { skipInterimResponsesOfFetch } from './engines/sender/interim-responses.js';
import { requireDataFolder } from './data-folder.js';
import { portProblem } from './free-port.js';
import { migrate } from './migrate.js';
import { startMonitoring } from './monitoring-server.js';
import { AdminBootstrap, SignOnRoles } from './modules/auth/index.js';
import { startProblem } from './start-problem.js';

/** What a process does: serve requests, work in the background, or both. */
const ROLES = ['all', 'api', 'worker'] as const;
export type ProcessRole = (typeof ROLES)[number];

export const isRole = (text: string | undefined): text is ProcessRole => ROLES.some((role) => role === text);

export interface RunningServer {
  readonly app: NestExpressApplication;
  /** URL of the app; null for a process that is only a worker. */
  readonly url: string | null;
  /** Port for probes and metrics; null if there is none. */
  readonly monitoringPort: number | null;
  readonly administrator: Ready['administrator'];
  /** @param graceMs how long open requests may take to complete before their connections are closed */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Longer than proxies and clients keep idle connections (usually 60 s), so that they never send on one that is closing.
 */
const IDLE_CONNECTION_MS = 75_000;
/** Uploads may take hours. A stop does not wait for them, because they can be resumed. */
const REQUEST_GRACE_MS = 5_000;

export interface StartOptions {
  /** The types of background work, if it does any; default: all. */
  readonly kinds?: readonly WorkKind[];
  /**
   * Whether the process migrates the database, and does what a group does once; default: true. A process that is restarted
   * leaves it: a newer version may have migrated the database in the meantime, which does not prevent this one from running
   * (see "Migrations" in docs/conventions.md).
   */
  readonly isFirst?: boolean;
  /** Whether the database is one that Cairn runs: there is no pooler in between. */
  readonly isEmbedded?: boolean;
}

/**
 * Starts a process on a database, which it migrates if it is the first.
 * @throws StartError, DatabaseRequirementError, ExtensionError, InstallationError, NewerDatabaseError: each has a message of one sentence for the person who started the process
 */
export async function start(
  config: Config,
  log: Logger,
  role: ProcessRole,
  options: StartOptions = {},
): Promise<RunningServer> {
  skipInterimResponsesOfFetch();
  const stopTracing = await startTracing(config, role, log);
  let app: NestExpressApplication | undefined;
  try {
    await requireDataFolder(config.dataDir);
    if (role !== 'api' && (options.kinds ?? WORK_KINDS).includes('events'))
      await readBrokerFiles(config.eventSink.target ?? {});
    app = await createPreparedApp(config, log, options);
    return await run({ app, stopTracing }, config, role, options);
  } catch (error) {
    await app?.close().catch(() => undefined); // report the first error
    await stopTracing();
    throw startProblem(error, config);
  }
}

/** Creates the application on a database that is ready for it. @throws as `start` */
export async function createPreparedApp(
  config: Config,
  log: Logger,
  { isFirst = true, isEmbedded = false }: Pick<StartOptions, 'isFirst' | 'isEmbedded'>,
): Promise<NestExpressApplication> {
  const extensions = await loadExtensions(config.extensions);
  const settings = isEmbedded ? config : await requireRoutes(config, log);
  if (isFirst) await migrate(settings, extensions);
  const installation = await requireSameInstallation(settings, (id) => claimMediaUrl(id, settings));
  if (isFirst) await checkMediaPlace(config, installation, log);
  return createApp(AppModule.of(settings, log, extensions), config, log);
}

interface Parts {
  readonly app: NestExpressApplication;
  readonly stopTracing: StopTracing;
}

async function run(
  { app, stopTracing }: Parts,
  config: Config,
  role: ProcessRole,
  { kinds, isFirst = true }: StartOptions,
): Promise<RunningServer> {
  await app.init();
  // If the start failed after it, nobody would learn the password of a new account.
  if (role !== 'worker') await requireFreePort(config);
  const administrator = await app.get(AdminBootstrap).ensureAdministrator();
  if (role !== 'worker' && isFirst) await app.get(SignOnRoles).warnOfUnknownOrganizations();
  await app.get(LiveProcesses).start(nameOf(role, kinds));
  if (role !== 'api') app.get(Workers).start(kinds);
  // Last, without any wait after it: the caller handles uncaught errors before the first request arrives.
  const monitoring = await startMonitoring(app, config);
  const url = role === 'worker' ? null : await listen(app, config);
  return {
    app,
    url,
    monitoringPort: monitoring?.port ?? null,
    administrator,
    async stop(graceMs = REQUEST_GRACE_MS) {
      monitoring?.drain();
      const server: Server = app.getHttpServer();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await app.close().finally(() => clearTimeout(cut));
      await monitoring?.stop();
      await stopTracing();
    },
  };
}

/** The role as `cairn doctor` shows it. */
const nameOf = (role: ProcessRole, kinds: readonly WorkKind[] | undefined): string =>
  role === 'api' ? 'server' : role === 'all' ? 'server+worker' : ['worker', ...(kinds ?? [])].join(':');

/** A bucket that cannot be reached does not prevent the start: most of the API works without it. @throws InstallationError */
async function checkMediaPlace(config: Config, installation: Installation, log: Logger): Promise<void> {
  const warning = mediaUrlWarning(config, installation);
  if (warning !== null) log.warn(warning);
  try {
    await requireOwnUrl(installation.media_url, installation.folder_id, config);
  } catch (error) {
    if (!isBucketProblem(error)) throw error;
    log.error({ err: error }, 'the media storage is not available');
  }
}

async function requireFreePort({ port, host }: Config): Promise<void> {
  const problem = await portProblem(host, port);
  if (problem !== null) throw problem;
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
