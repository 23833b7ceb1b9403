import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { Poller } from '../worker/poller.js';
import { ListenerPositions, type SeenListener } from './listener-positions.js';
import { ListenerRunner } from './listener-runner.js';
import { Listeners } from './listeners.js';
import { ListenerTransactions } from './listener-transactions.js';
import { type OrderedEvent, OutboxReader } from './outbox.reader.js';
import { Quarantine } from './quarantine.js';

/** Pause after a batch that was not urgent, so that the next one is larger. */
const NOT_URGENT_MS = 100;
/** After this time, it is tried again whether another process still works for a listener. */
const BUSY_MS = 100;
/** Interval at which a listener looks in memory for something to do. */
const IDLE_MS = 10_000;
/** An orderly stop waits this long for the transactions of listeners. Then they are undone, and done again later. */
const STOP_MS = 5_000;

/** A listener with the loop that runs it. */
interface Running {
  readonly runner: ListenerRunner;
  readonly poller: Poller;
  /** The position that the last look has found. */
  seen: number | undefined;
}

/**
 * Runs the listeners of this process, each in a loop and on a connection of its own, so that one that fails, hangs or is
 * slow only delays itself.
 */
@Injectable()
export class ListenerRunners {
  /** Whether this process gives events their positions, and runs all listeners if it can. */
  isActive = true;
  private known: readonly Running[] | undefined;
  private isRegistered = false;
  private draining: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly listeners: Listeners,
    private readonly positions: ListenerPositions,
    private readonly quarantine: Quarantine,
    private readonly reader: OutboxReader,
    private readonly transactions: ListenerTransactions,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Makes listeners known that are new, before events get positions. */
  async register(): Promise<void> {
    if (this.isRegistered) return;
    await this.positions.remove(this.listeners.unwanted);
    await this.positions.add(this.listeners.wanted);
    this.isRegistered = true;
  }

  start(): void {
    for (const { poller } of this.all) poller.start();
  }

  async stop(): Promise<void> {
    const stopped = Promise.all((this.known ?? []).map(({ poller }) => poller.stop()));
    const late = new AbortController();
    const hurry = pause(STOP_MS, undefined, { ref: false, signal: late.signal }).then(
      () => this.transactions.giveUp(),
      () => undefined,
    );
    await stopped;
    late.abort();
    await hurry;
  }

  /** Whether any of these events is for a listener that does not want to wait. */
  isUrgent(events: readonly OrderedEvent[]): boolean {
    return this.all.some(({ runner }) => runner.isUrgent && events.some((event) => runner.isInterestedIn(event)));
  }

  /** Runs the listeners that these events are for. */
  wake(events: readonly OrderedEvent[]): void {
    for (const { runner, poller } of this.all) if (events.some((event) => runner.isInterestedIn(event))) poller.wake();
  }

  /**
   * Runs the listeners that have something to do, unless another process does it.
   * @returns the newest position, and whether events wait for one
   */
  async look(): Promise<{ readonly end: number; readonly isPending: boolean }> {
    const rows = await this.positions.look();
    const { end = 0, is_pending: isPending = false } = rows[0] ?? {};
    this.reader.learn(end);
    await this.observe(rows);
    return { end, isPending };
  }

  private async observe(rows: readonly SeenListener[]): Promise<void> {
    const names = this.all.map(({ runner }) => runner.name);
    if (names.some((name) => !rows.some((row) => row.name === name))) await this.positions.add(this.listeners.wanted);
    else await this.positions.seen(names);
    for (const running of this.all) {
      const row = rows.find(({ name }) => name === running.runner.name);
      if (row === undefined) continue;
      const isMovedByOthers = row.position !== running.seen && row.position !== running.runner.written;
      running.seen = row.position;
      if (row.has_returned) running.runner.hasReturned = true;
      const isBehind = row.position < row.end && (this.isActive || !isMovedByOthers);
      if (isBehind || row.has_returned) running.poller.wake();
    }
  }

  /** Runs all listeners until there is nothing left to do, without pauses. @returns whether there was something */
  async drain(): Promise<boolean> {
    const drained = this.draining.then(async () => {
      let has = false;
      for (const { runner } of this.all) while ((await runner.run(true)) === 'more') has = true;
      return has;
    });
    this.draining = drained.catch(() => undefined);
    return drained;
  }

  private get all(): readonly Running[] {
    const { transactions, positions, quarantine, reader, clock, log } = this;
    this.known ??= this.listeners.wanted.map((listener) => {
      const runner = new ListenerRunner(listener, { transactions, positions, quarantine, reader, clock, log });
      const step = (): Promise<boolean> => this.step(runner);
      const interval = (): number => this.intervalOf(runner);
      const poller = new Poller(`listener ${listener.name}`, interval, step, this.log);
      const running: Running = { runner, poller, seen: undefined };
      return running;
    });
    return this.known;
  }

  private async step(runner: ListenerRunner): Promise<boolean> {
    const progress = await runner.run();
    if (progress === 'busy' && this.isActive) await rest(BUSY_MS);
    if (progress === 'idle' && !runner.isUrgent) await rest(NOT_URGENT_MS);
    return progress === 'more' || (progress === 'busy' && this.isActive);
  }

  private intervalOf(runner: ListenerRunner): number {
    const wait = runner.retryAt - this.clock.now().getTime();
    return wait > 0 ? Math.min(wait, IDLE_MS) : IDLE_MS;
  }
}

const rest = (ms: number): Promise<void> => pause(ms, undefined, { ref: false });
