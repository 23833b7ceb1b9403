import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from '../../core/logging/logger.js';
import type { GroupMetrics } from '../../core/process-group/group-metrics.js';
import { Questions } from '../../core/process-group/questions.js';
import type { Administrator } from '../../main.js';
import { RestartPauses } from './restart-pauses.js';

/** What a process of a group reports when it has started. */
export interface Ready {
  readonly cairn: 'ready';
  /** URL of the app; null for a worker. */
  readonly url: string | null;
  readonly administrator: Administrator | null;
}

const isReady = (message: unknown): message is Ready =>
  typeof message === 'object' && message !== null && (message as Ready).cairn === 'ready';

export interface MemberOptions {
  /** In the log. */
  readonly name: string;
  /** Arguments of the command line. */
  readonly args: readonly string[];
  /** Settings that differ from those of the parent. */
  readonly env: Readonly<Record<string, string>>;
}

/** One process of a group. It is restarted whenever it ends, until it is stopped. */
export class Member {
  private worker: Worker | undefined;
  private isStopping = false;
  private restart: NodeJS.Timeout | undefined;
  private readonly pauses = new RestartPauses();

  constructor(
    private readonly options: MemberOptions,
    private readonly metrics: GroupMetrics,
    private readonly log: Logger,
  ) {}

  /** Starts it for the first time. @returns undefined if it ended before it was ready; it has said why */
  async start(): Promise<Ready | undefined> {
    const worker = this.fork();
    const ready = new Promise<Ready>((resolve) => {
      worker.on('message', (message: unknown) => (isReady(message) ? resolve(message) : undefined));
    });
    const first = await Promise.race([ready, once(worker, 'exit').then(() => undefined)]);
    if (first !== undefined) this.keep(worker);
    return first;
  }

  /** @param signal SIGTERM for an orderly stop @returns when it has ended */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.restart);
    const { worker } = this;
    if (worker === undefined || worker.isDead()) return;
    const ended = once(worker, 'exit');
    worker.process.kill(signal);
    await ended;
  }

  private fork(): Worker {
    cluster.setupPrimary({ args: [...this.options.args] }); // for the next process
    const worker = cluster.fork(this.options.env);
    this.worker = worker;
    const questions = new Questions(worker, { 'metrics of the group': () => this.metrics.text() });
    this.metrics.add(questions);
    worker.once('exit', () => void this.metrics.remove(questions));
    worker.on('error', (error) => this.log.warn({ err: error, process: this.options.name }, 'cannot be reached'));
    return worker;
  }

  /** Restarts the process when it ends. */
  private keep(worker: Worker): void {
    const startedAt = performance.now();
    worker.once('exit', (code: number | null, signal: string | null) => {
      if (this.isStopping) return;
      this.log.error({ process: this.options.name, code, signal }, 'a process ended and is restarted');
      this.restart = setTimeout(() => this.keep(this.fork()), this.pauses.after(performance.now() - startedAt));
    });
  }
}
