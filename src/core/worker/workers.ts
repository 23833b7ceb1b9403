import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { classHook, Discovery, methodHook } from '../discovery/discovery.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { Poller } from './poller.js';
import { WORK_KINDS, type WorkKind } from './work-kinds.js';

/** Background work of a process: relays, senders, processing. */
export interface Worker {
  start(): void;
  /** Finishes the current work and starts no more. */
  stop(): Promise<void>;
}

/** Runs the class as a worker in processes that do this type of work. */
export const BackgroundWorker = classHook<WorkKind, Worker>();

export interface Upkeep {
  /** The name in the log. */
  readonly name: string;
  readonly everyMs: number;
  /** The processes that do it. Default: those that do upkeep. */
  readonly kind?: WorkKind;
}

/**
 * Calls the method at an interval, and again immediately if it returned true (there is probably more to do). Errors are
 * logged and retried later.
 */
export const UpkeepEvery = methodHook<Upkeep, () => Promise<unknown>>();

/**
 * All workers of the process. They start only in processes whose role includes them; tests drive them directly. They
 * stop first, while the database is still available to record what they did.
 */
@Injectable()
export class Workers implements BeforeApplicationShutdown {
  private workers: readonly { readonly kind: WorkKind; readonly worker: Worker }[] = [];

  constructor(
    private readonly discovery: Discovery,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  start(kinds: readonly WorkKind[] = WORK_KINDS): void {
    this.workers = this.all();
    for (const { kind, worker } of this.workers) if (kinds.includes(kind)) worker.start();
  }

  /** Includes workers that `start` did not start, because they may hold resources that must be released. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.workers.length === 0) this.workers = this.all();
    await Promise.all(this.workers.map(({ worker }) => worker.stop()));
  }

  private all(): { readonly kind: WorkKind; readonly worker: Worker }[] {
    const upkeep = this.discovery.methods(UpkeepEvery).map(({ data: { name, everyMs, kind = 'upkeep' }, found }) => ({
      kind,
      worker: new Poller(name, everyMs, async () => (await found()) === true, this.log),
    }));
    return [
      ...this.discovery.classes(BackgroundWorker).map(({ data, found }) => ({ kind: data, worker: found })),
      ...upkeep,
    ];
  }
}
