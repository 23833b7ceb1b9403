import type { Config } from './config/config.js';
import { readConfig } from './config/env.js';
import { isErrorOfListener } from './core/events/listener-attempt.js';
import { OpenRequests } from './core/http/app/open-requests.js';
import { createLogger, type Logger } from './core/logging/logger.js';
import type { Link } from './core/process-group/link.js';
import type { MemberDatabase } from './core/process-group/messages.js';
import { WORK_KINDS } from './core/worker/work-kinds.js';
import { isRole, type RunningServer, start } from './main.js';
import { runRequestProcess } from './run-request-process.js';
import { sendPulse } from './send-pulse.js';

/**
 * Time after which a stopping process exits even if the stop is not complete. The supervisor, if there still is one, kills it
 * at the same time.
 */
const STOP_TIMEOUT_MS = 8_000;
/** After an unexpected error no request can continue. This leaves time for sending the error responses. */
const FAULT_GRACE_MS = 1000;

export interface MemberStart {
  /** `requests`, or that of a server or worker. */
  readonly role: string | undefined;
  /** The types of background work; none: all. */
  readonly kinds: readonly string[];
  readonly database: MemberDatabase;
}

/** Runs this process until the supervisor stops it. @throws as `start` */
export async function runMember(link: Link, { role, kinds, database }: MemberStart): Promise<void> {
  const settings = readConfig(process.env);
  const log = createLogger(settings.logLevel);
  const config = withDatabase(settings, database);
  const isEmbedded = database.embeddedUrl !== null;
  if (role === 'requests') return runRequestProcess(link, config, log, isEmbedded);
  if (!isRole(role)) throw new Error(`There is no role ${role}`);
  const wanted = kinds.length === 0 ? {} : { kinds: WORK_KINDS.filter((kind) => kinds.includes(kind)) };
  const server = await start(config, log, role, { ...wanted, isFirst: database.isFirst, isEmbedded });
  endInOrder(link, server, log);
  sendPulse(link);
  link.tell('ready', { url: server.url, administrator: server.administrator });
}

const withDatabase = (config: Config, { embeddedUrl }: MemberDatabase): Config =>
  embeddedUrl === null
    ? config
    : { ...config, databaseUrl: embeddedUrl, databaseDirectUrl: '', databasePrepared: true };

/**
 * Stops on signals, when the supervisor says so and when it exits. The supervisor restarts it after an uncaught error,
 * unless an extension's listener has caused it.
 */
function endInOrder(link: Link, server: RunningServer, log: Logger): void {
  let stopping = false;
  const stop = (code: number, graceMs?: number): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      log.error('could not stop in time');
      process.exit(1);
    }, STOP_TIMEOUT_MS).unref();
    server.stop(graceMs).then(
      () => process.exit(code),
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  const end = (): void => stop(0);
  process.on('SIGINT', end).on('SIGTERM', end);
  link.on('stop', end);
  process.on('disconnect', () => {
    server.app.getHttpServer().close(); // the next server needs the port
    end();
  });
  if (!process.connected) end(); // the supervisor exited during the start

  const fault = (error: unknown): void => {
    if (isErrorOfListener(error)) return;
    const open = server.app.get(OpenRequests).failAll();
    server.app.getHttpServer().close(); // new connections go to another process
    log.fatal({ err: error, open }, 'unexpected error; the process stops and is restarted');
    stop(1, FAULT_GRACE_MS);
  };
  process.on('uncaughtException', fault).on('unhandledRejection', fault);
}
