import { requestPoolSize } from './config/pool-sizes.js';
import type { Config } from './config/config.js';
import type { Logger } from './core/logging/logger.js';
import { Metrics } from './core/metrics/metrics.js';
import type { Link } from './core/process-group/link.js';
import type { AbortOrder, Assignment, Outcome } from './core/process-group/messages.js';
import { startTracing } from './core/tracing/start-tracing.js';
import { LingeringWork } from './core/worker/lingering-work.js';
import { LiveProcesses } from './core/worker/live-processes.js';
import { createPreparedApp } from './main.js';
import { RequestExecutions } from './modules/requests/index.js';
import { sendPulse } from './send-pulse.js';

/**
 * Executes the background requests that the supervisor assigns to this process, one at a time. Signals that reach the whole
 * process group are ignored: the supervisor decides when the process ends.
 * @throws as `start`
 */
export async function runRequestProcess(link: Link, config: Config, log: Logger, isEmbedded: boolean): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  const settings = { ...config, databasePoolSize: requestPoolSize(config.databasePoolSize) };
  const stopTracing = await startTracing(settings, 'requests', log);
  const app = await createPreparedApp(settings, log, { isFirst: false, isEmbedded });
  await app.init();
  await app.get(LiveProcesses).start('request-process');
  app.get(Metrics).countOnly();
  const desk = new RequestDesk(app.get(RequestExecutions));

  let isEnding = false;
  const end = async (): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    await desk.stop();
    await app.close();
    await stopTracing();
    process.exit(0);
  };
  const fault = (error: unknown): void => {
    log.fatal({ err: error, request: desk.name }, 'unexpected error; the request process ends');
    process.exit(1);
  };
  process.on('uncaughtException', fault).on('unhandledRejection', fault);
  process.on('disconnect', () => void end());
  link
    .answer('execute', (assignment) => desk.execute(assignment))
    .on('abort', (order) => desk.abort(order))
    .on('stop', () => void end());
  sendPulse(link, () => app.get(LingeringWork).goesOn);
  link.tell('ready', { url: null, administrator: null });
  if (!process.connected) await end(); // the supervisor exited during the start
}

/** The request that is being executed. */
class RequestDesk {
  private assignment: Assignment | undefined;
  private running: Promise<Outcome> | undefined;
  private order: AbortOrder['reason'] | undefined;
  private obey: ((reason: AbortOrder['reason']) => void) | undefined;

  constructor(private readonly executions: RequestExecutions) {}

  /** For the log. */
  get name(): string | undefined {
    return this.assignment?.name;
  }

  execute(assignment: Assignment): Promise<Outcome> {
    this.assignment = assignment;
    this.running = this.run(assignment).finally(() => {
      this.assignment = undefined;
      this.running = undefined;
      this.order = undefined;
      this.obey = undefined;
    });
    return this.running;
  }

  abort({ rowId, reason }: AbortOrder): void {
    if (rowId !== this.assignment?.rowId) return;
    this.order = reason;
    this.obey?.(reason);
  }

  /** @returns when no request is being executed */
  async stop(): Promise<void> {
    if (this.assignment !== undefined) this.abort({ rowId: this.assignment.rowId, reason: 'stopping' });
    await this.running;
  }

  private async run({ rowId, worker }: Assignment): Promise<Outcome> {
    const execution = await this.executions.adopt(rowId, worker);
    if (execution === undefined) return { kind: 'done', isRecorded: true };
    this.obey = (reason) => {
      if (reason === 'cancelled') execution.cancel();
      else if (reason === 'orphaned') execution.orphan();
      else execution.stop();
    };
    if (this.order !== undefined) this.obey(this.order);
    return { kind: 'done', isRecorded: await execution.run() };
  }
}
