import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { isTracing, recordSpan, SpanKind } from '../../engines/tracing/tracing.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { Metrics } from '../metrics/metrics.js';
import { Notifier } from '../worker/notifier.js';
import { Poller } from '../worker/poller.js';
import { BackgroundWorker, type Worker } from '../worker/workers.js';
import { ListenerRunners } from './listener-runners.js';
import { OutboxReader, type ReadEvent } from './outbox.reader.js';
import { MOST_AT_ONCE, OutboxSequencer, type Sequenced } from './outbox.sequencer.js';

/** Polling interval while the notifications of other processes do not arrive. */
const POLL_MS = 250;
/** How often a process looks at all listeners. */
const LOOK_MS = 2_000;
/** The same for a process that leaves the work to another one. Dead or frozen ones are replaced after twice this time. */
const STANDBY_MS = 1_000;
/**
 * Pause after events that were not urgent (for example, no webhook is enabled). Otherwise the relay would add several
 * statements to every change: up to a quarter of the cost of a comment.
 */
const NOT_URGENT_MS = 50;

/**
 * Gives committed events their positions, and wakes the listeners, which handle them independently of each other. Of
 * several processes, one does so; the others look whether it still does.
 */
@Injectable()
@BackgroundWorker('events')
export class OutboxRelay implements Worker {
  private readonly poller: Poller;
  private readonly counter: Counter;
  private stopListening: (() => void) | undefined;
  private lookedAt = -Infinity;
  /** The newest position at the last look, and how many positions this process has given since. */
  private seen: { readonly end: number; own: number } | undefined;

  constructor(
    private readonly sequencer: OutboxSequencer,
    private readonly reader: OutboxReader,
    private readonly runners: ListenerRunners,
    private readonly notifier: Notifier,
    metrics: Metrics,
    @Inject(LOGGER) log: Logger,
  ) {
    this.counter = metrics.counter({ name: 'events_total', help: 'Published events by name', labels: ['event'] });
    const interval = (): number => (runners.isActive ? notifier.pollMs(POLL_MS) : STANDBY_MS);
    this.poller = new Poller('outbox relay', interval, () => this.step(), log);
  }

  start(): void {
    this.stopListening = this.notifier.listen('events', () => this.poller.wake());
    this.poller.start();
    this.runners.start();
  }

  async stop(): Promise<void> {
    this.stopListening?.();
    await Promise.all([this.poller.stop(), this.runners.stop()]);
    if (this.stopListening !== undefined) this.notifier.notify('events'); // another process takes over
  }

  /** Publishes until nothing is pending. For tests. */
  async drain(): Promise<void> {
    await this.runners.register();
    for (let isMore = true; isMore;) {
      const { events } = await this.sequence();
      await this.runners.look();
      isMore = (await this.runners.drain()) || events.length > 0;
    }
  }

  /** @returns whether there may be more to do */
  private async step(): Promise<boolean> {
    await this.runners.register();
    if (performance.now() - this.lookedAt >= (this.runners.isActive ? LOOK_MS : STANDBY_MS)) await this.look();
    if (!this.runners.isActive) return false;
    const { events } = await this.sequence();
    if (events.length === 0) return false;
    if (events.length === MOST_AT_ONCE) return true;
    if (!this.runners.isUrgent(events)) await pause(NOT_URGENT_MS, undefined, { ref: false });
    return false;
  }

  private async sequence(): Promise<Sequenced> {
    const start = new Date();
    const sequenced = await this.sequencer.sequence();
    const { events, after } = sequenced;
    this.reader.add(events, after);
    if (this.seen !== undefined) this.seen.own += events.length;
    for (const { name } of events) this.counter.inc({ event: name });
    // Most listeners want them. Of a backlog, the listeners read as much as they can handle.
    if (events.length > 0 && (events.length < MOST_AT_ONCE || isTracing())) this.read(sequenced, start);
    this.runners.wake(events);
    return sequenced;
  }

  /** Reads events while the listeners begin their transactions. They report the errors. */
  private read({ events }: Sequenced, start: Date): void {
    this.reader.load(events).then(
      (read) => traceEvents(read.events, start),
      () => undefined,
    );
  }

  /**
   * Finds out what other processes have done. If one gives positions, this process does not, and begins again when events
   * have waited from one look to the next without getting one.
   */
  private async look(): Promise<void> {
    const { end, isPending } = await this.runners.look();
    const { end: before, own } = this.seen ?? { end, own: 0 };
    const others = end - before - own;
    this.runners.isActive = this.runners.isActive ? others <= own : isPending && others <= 0;
    this.seen = { end, own: 0 };
    this.lookedAt = performance.now();
  }
}

/** Records a span for each event, until it has been read, in the trace of the request that caused it. */
function traceEvents(events: readonly ReadEvent[], start: Date): void {
  if (!isTracing()) return;
  for (const { event } of events) {
    const { id, name, objectId, traceparent, occurredAt } = event;
    const attributes = {
      'messaging.system': 'cairn',
      'messaging.operation.name': 'relay',
      'messaging.message.id': String(id),
      'cairn.event': name,
      'cairn.object_id': objectId,
      'cairn.event.delay_ms': start.getTime() - Date.parse(occurredAt),
    };
    recordSpan(`relay ${name}`, { kind: SpanKind.CONSUMER, parent: traceparent ?? null, attributes, start });
  }
}
