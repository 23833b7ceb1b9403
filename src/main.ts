import 'reflect-metadata';
import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.js';
import { type EmbeddedPostgres, startEmbedded } from './core/database/embedded/start-embedded.js';
import { requireRoutes } from './core/database/pooler.js';
import { type Extension, loadExtensions } from './core/extensions/load-extensions.js';
import { createApp } from './core/http/app/create-app.js';
import { type Installation, mediaUrlWarning, requireSameInstallation } from './core/database/installation.js';
import type { Logger } from './core/logging/logger.js';
import { claimMediaUrl, isBucketProblem, requireOwnUrl } from './core/media-storage/bucket-owner.js';
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
import { startProblem } from './start-error.js';

/** What a process does: serve requests, work in the background, or both. */
export type ProcessRole = 'all' | 'api' | 'worker';

/** An administrator account; its password is null if it is configured. */
export interface Administrator {
  readonly username: string;
  readonly password: string | null;
}

export interface RunningServer {
  readonly app: NestExpressApplication;
  /** URL of the app; null for a process that is only a worker. */
  readonly url: string | null;
  /** Port for probes and metrics; null if there is none. */
  readonly monitoringPort: number | null;
  /** The administrator account that this start created. */
  readonly administrator: Administrator | null;
  /** @param graceMs how long open requests may take to complete before their connections are closed */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Longer than proxies and clients keep idle connections (usually 60 s), so that they never send on one that is closing.
 */
const IDLE_CONNECTION_MS = 75_000;
/** Uploads may take hours. A stop does not wait for them, because they can be resumed. */
const REQUEST_GRACE_MS = 10_000;
/** The number of connections that the embedded database allows by default. */
const EMBEDDED_CONNECTIONS = 100;

/**
 * Starts a process on a migrated database: the embedded one unless `DATABASE_URL` is set.
 * @param kinds types of background work, if it does any; default: all
 * @throws StartError, EmbeddedPostgresError, DatabaseRequirementError, ExtensionError, InstallationError, NewerDatabaseError: each has a message of one sentence for the person who started the process
 */
export async function start(
  config: Config,
  log: Logger,
  role: ProcessRole,
  kinds?: readonly WorkKind[],
): Promise<RunningServer> {
  skipInterimResponsesOfFetch();
  const stopTracing = await startTracing(config, role, log);
  let prepared: Prepared | undefined;
  let app: NestExpressApplication | undefined;
  try {
    if (role !== 'api' && (kinds ?? WORK_KINDS).includes('events'))
      await readBrokerFiles(config.eventSink.target ?? {});
    prepared = await prepare(config, log);
    const { extensions, database, settings } = prepared;
    app = await createApp(AppModule.of(settings, log, extensions), config, log);
    return await run({ app, database, stopTracing }, config, role, kinds);
  } catch (error) {
    await app?.close().catch(() => undefined); // report the first error
    await prepared?.database?.stop();
    await stopTracing();
    throw startProblem(error, config);
  }
}

/** What processes need before they start. */
export interface Prepared {
  readonly extensions: readonly Extension[];
  /** Null if `DATABASE_URL` is set. */
  readonly database: EmbeddedPostgres | null;
  /** With the URL of the migrated database. */
  readonly settings: Config;
}

/**
 * Starts the embedded database unless `DATABASE_URL` is set, and migrates the schema. A process of a group leaves this to
 * its parent: if it is restarted, a newer version may have migrated the database in the meantime, which does not prevent
 * this one from running (see "Migrations" in docs/conventions.md).
 * @param connections how many the embedded database must allow
 * @throws as `start`
 */
export async function prepare(config: Config, log: Logger, connections = 0): Promise<Prepared> {
  await requireDataFolder(config.dataDir);
  const extensions = await loadExtensions(config.extensions);
  const database = config.databaseUrl === '' ? await startDatabase(config, log, connections) : null;
  try {
    const settings =
      database === null
        ? await requireRoutes(config, log)
        : { ...config, databaseUrl: database.url, databaseDirectUrl: '' };
    if (!cluster.isWorker) await migrate(settings, extensions);
    const installation = await requireSameInstallation(settings, (id) => claimMediaUrl(id, settings));
    if (!cluster.isWorker) await checkMediaPlace(config, installation, log);
    return { extensions, database, settings };
  } catch (error) {
    await database?.stop();
    throw startProblem(error, config);
  }
}

function startDatabase({ dataDir }: Config, log: Logger, connections: number): Promise<EmbeddedPostgres> {
  const settings = connections > EMBEDDED_CONNECTIONS ? { max_connections: String(connections) } : {};
  return startEmbedded({ dataDir, log: embeddedLog(log), settings });
}

interface Parts {
  readonly app: NestExpressApplication;
  readonly database: EmbeddedPostgres | null;
  readonly stopTracing: StopTracing;
}

async function run(
  { app, database, stopTracing }: Parts,
  config: Config,
  role: ProcessRole,
  kinds: readonly WorkKind[] | undefined,
): Promise<RunningServer> {
  await app.init();
  // If the start failed after it, nobody would learn the password of a new account.
  if (role !== 'worker') await requireFreePort(config);
  const administrator = await app.get(AdminBootstrap).ensureAdministrator();
  if (role !== 'worker' && (cluster.worker?.id ?? 1) === 1) await app.get(SignOnRoles).warnOfUnknownOrganizations(); // once for a group
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
      database?.detach(); // a signal to the process group reached the database, too
      const server: Server = app.getHttpServer();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await app.close().finally(() => clearTimeout(cut));
      await monitoring?.stop();
      await database?.stop();
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

const embeddedLog = (
  log: Logger,
): { info(text: string): void; warn(text: string): void; error(text: string): void } => ({
  info: (text) => log.debug(text),
  warn: (text) => log.warn(text),
  error: (text) => log.error(text),
});
