import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { Notifier } from '../../core/worker/notifier.js';
import { Poller } from '../../core/worker/poller.js';
import { BackgroundWorker, UpkeepEvery, type Worker } from '../../core/worker/workers.js';
import type { RunningRequest } from './request.execution.js';
import { RequestExecutions } from './request.executions.js';
import { ResultFiles } from './result-files.js';
import { RequestRepository, type ClaimOrder } from './request.repository.js';

/** How many requests are processed at a time if that is not a setting: within this process. */
const USUAL_TOTAL = 4;
/** Polling interval while the notifications of other processes do not arrive. */
const POLL_MS = 500;
const CLEAN_UP_EVERY_MS = 60_000;

/** Processes background requests, or has them processed by request processes. Owners take turns; the oldest request of an owner comes first. */
@Injectable()
@BackgroundWorker('requests')
export class RequestWorker implements Worker {
  private readonly running = new Map<RunningRequest, Promise<void>>();
  private readonly slots: FairSlots;
  private readonly poller: Poller;
  private forget: (() => void) | undefined;
  /** Whether this process may hold requests that it does not process. */
  private hasLost = false;

  constructor(
    private readonly db: Db,
    private readonly requests: RequestRepository,
    private readonly executions: RequestExecutions,
    private readonly results: ResultFiles,
    private readonly clock: Clock,
    @Inject(LOGGER) log: Logger,
    private readonly notifier: Notifier,
    @Inject(CONFIG) { requests: { processes } }: Config,
  ) {
    const total = processes || USUAL_TOTAL;
    this.slots = new FairSlots({ total, each: Math.ceil(total / 2) });
    this.poller = new Poller(
      'background requests',
      () => notifier.pollMs(POLL_MS),
      () => this.step(),
      log,
    );
  }

  start(): void {
    this.forget = this.notifier.listen('requests', () => this.poller.wake());
    this.poller.start();
  }

  /** Unfinished requests are released immediately, for the next process. */
  async stop(): Promise<void> {
    this.forget?.();
    await this.poller.stop();
    for (const execution of this.running.keys()) execution.stop();
    await Promise.all(this.running.values());
  }

  /** Works until nothing is pending, without noticing cancellations. For tests and commands; does not need `start`. */
  async drain(): Promise<void> {
    for (let execution = await this.begin(); execution !== null; execution = await this.begin()) {
      await this.running.get(execution);
    }
  }

  /** Deletes expired requests and their files. */
  @UpkeepEvery({ name: 'clean-up of background requests', everyMs: CLEAN_UP_EVERY_MS, kind: 'requests' })
  async cleanUp(): Promise<void> {
    for (const file of await this.requests.deleteExpired(this.db, this.clock.now())) await this.results.remove(file);
  }

  private async step(): Promise<boolean> {
    if (this.hasLost) await this.releaseLost();
    await this.stopCancelled();
    return this.slots.hasRoom && (await this.begin()) !== null;
  }

  private async stopCancelled(): Promise<void> {
    if (this.running.size === 0) return;
    const cancelled = await this.executions.findCancelled(this.rowIds());
    for (const execution of this.running.keys()) if (cancelled.has(execution.rowId)) execution.cancel();
  }

  private async releaseLost(): Promise<void> {
    this.hasLost = false; // another one may be lost meanwhile
    try {
      if (!(await this.executions.releaseLost(this.rowIds()))) this.hasLost = true;
    } catch (error) {
      this.hasLost = true;
      throw error;
    }
  }

  private rowIds(): number[] {
    return [...this.running.keys()].map((execution) => execution.rowId);
  }

  /** @returns null if nothing is pending */
  private async begin(): Promise<RunningRequest | null> {
    const execution = await this.claim();
    if (execution === null) return null;
    this.slots.begin(execution.ownerId);
    const done = execution.run().then((isRecorded) => {
      if (!isRecorded) this.hasLost = true;
      this.running.delete(execution);
      this.slots.end(execution.ownerId);
      this.poller.wake();
    });
    this.running.set(execution, done);
    return execution;
  }

  private async claim(): Promise<RunningRequest | null> {
    try {
      return await this.executions.claim({ ...this.slots.claimOrder(), running: this.rowIds() });
    } catch (error) {
      this.hasLost = true; // the claim may have been committed all the same
      throw error;
    }
  }
}

/** Owners beyond this are forgotten and count as not served yet. */
const MAX_REMEMBERED = 1_000;

interface SlotLimits {
  /** Requests of all owners at a time. */
  readonly total: number;
  /** Requests of one owner at a time. */
  readonly each: number;
}

/**
 * Assigns the slots of this process to owners. The last free slot is reserved for an owner who has none, so that nobody
 * can take all of them.
 */
export class FairSlots {
  private readonly running = new Map<number, number>();
  /** Ordered by their last request. */
  private readonly served = new Set<number>();
  private count = 0;

  constructor(private readonly limits: SlotLimits) {}

  get hasRoom(): boolean {
    return this.count < this.limits.total;
  }

  claimOrder(): Omit<ClaimOrder, 'running'> {
    const most = this.limits.total - this.count > 1 ? this.limits.each : 1;
    const full = [...this.running].flatMap(([owner, count]) => (count < most ? [] : [owner]));
    return { full, served: [...this.served] };
  }

  begin(ownerId: number | null): void {
    const owner = ownerId ?? 0;
    this.count += 1;
    this.running.set(owner, (this.running.get(owner) ?? 0) + 1);
    this.served.delete(owner);
    this.served.add(owner);
    const [oldest] = this.served;
    if (this.served.size > MAX_REMEMBERED && oldest !== undefined) this.served.delete(oldest);
  }

  end(ownerId: number | null): void {
    const owner = ownerId ?? 0;
    this.count -= 1;
    const left = (this.running.get(owner) ?? 0) - 1;
    if (left > 0) this.running.set(owner, left);
    else this.running.delete(owner);
  }
}
