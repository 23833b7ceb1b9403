import { Inject, Injectable } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { CONFIG, type Config, type EventSinkTarget } from '../../config/config.js';
import { Clock } from '../../core/clock.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { Metrics } from '../../core/metrics/metrics.js';
import { Representations } from '../../core/versioning/representations.js';
import { Notifier } from '../../core/worker/notifier.js';
import { Poller } from '../../core/worker/poller.js';
import { BackgroundWorker, type Worker } from '../../core/worker/workers.js';
import type { Broker, Published } from '../../engines/event-broker/broker.js';
import { isTracing, recordSpan, SpanKind } from '../../engines/tracing/tracing.js';
import { openBroker } from '../../engines/event-broker/open-broker.js';
import { toMessage } from './cloud-event.js';
import { type Batch, EventSinkQueue } from './event-sink.queue.js';

const POLL_MS = 1_000;

/**
 * Publishes events to the message broker, in order and one batch at a time. An event stays pending until the broker has
 * stored it. If a process stops in between, the next one publishes it again.
 */
@Injectable()
@BackgroundWorker('events')
export class EventSinkWorker implements Worker {
  private readonly poller: Poller;
  private readonly messages: Counter;
  private readonly lags: Histogram;
  private stopListening: (() => void) | undefined;
  private broker: Broker | undefined;

  constructor(
    private readonly queue: EventSinkQueue,
    private readonly notifier: Notifier,
    private readonly representations: Representations,
    private readonly clock: Clock,
    metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) log: Logger,
  ) {
    this.poller = new Poller(
      'event sink',
      () => notifier.pollMs(POLL_MS),
      () => this.runOnce(),
      log,
    );
    this.messages = metrics.counter({
      name: 'event_sink_messages_total',
      help: 'Messages for the broker of EVENT_SINK by outcome: stored, failed',
      labels: ['outcome'],
    });
    this.lags = metrics.times({
      name: 'event_sink_lag_seconds',
      help: 'Seconds from a change until the broker has stored its event',
    });
  }

  start(): void {
    if (this.config.eventSink.target === null) return;
    this.stopListening = this.notifier.listen('event-sink', () => this.poller.wake());
    this.poller.start();
  }

  async stop(): Promise<void> {
    this.stopListening?.();
    const wasRunning = this.poller.isRunning;
    await this.poller.stop();
    await this.broker?.close().catch(() => undefined); // the connection may be lost
    this.broker = undefined;
    if (wasRunning) await this.queue.release().catch(() => undefined); // the lease expires
  }

  /**
   * Publishes one batch if no other process does.
   * @returns whether there may be more
   * @throws Error if the broker has not stored all of it
   */
  async runOnce(): Promise<boolean> {
    const { target } = this.config.eventSink;
    const state = target === null ? undefined : await this.queue.take();
    if (target === null || state === undefined) return false;
    const batch = await this.queue.next();
    const start = this.clock.now();
    const { stored, error } = await this.publish(batch, target, state.name);
    const published = new Set(stored.map((position) => batch.events[position]?.id));
    const existing = new Set(batch.events.map(({ id }) => id));
    const done = batch.ids.filter((id) => published.has(id) || !existing.has(id));
    const problem = error === undefined ? null : withoutSecrets(error, target);
    await this.queue.sent(done, problem);
    this.count(batch, stored);
    if (isTracing()) this.trace(batch, stored, start, target);
    if (problem !== null) throw new Error(`The event sink does not accept events: ${problem}`);
    return batch.ids.length > 0;
  }

  private async publish({ events }: Batch, target: EventSinkTarget, name: string): Promise<Published> {
    const publisher = { name, publicUrl: this.config.publicUrl, maxBytes: this.config.eventSink.maxBytes };
    try {
      const broker = await this.connected(target, name);
      return await broker.publish(events.map((event) => toMessage(event, publisher, this.representations)));
    } catch (error) {
      return { stored: [], error: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  private async connected(target: EventSinkTarget, name: string): Promise<Broker> {
    if (this.broker?.isClosed === false) return this.broker;
    const broker = await openBroker(target, `cairn-${name}`);
    try {
      await broker.create();
    } catch (error) {
      await broker.close().catch(() => undefined);
      throw error;
    }
    this.broker = broker;
    return broker;
  }

  /** Continues the traces of the changes. Failed attempts are not recorded: they are repeated until the broker responds. */
  private trace({ events }: Batch, stored: readonly number[], start: Date, { kind, channel }: EventSinkTarget): void {
    for (const position of stored) {
      const event = events[position];
      if (event === undefined) continue;
      const attributes = {
        'messaging.system': kind,
        'messaging.operation.name': 'publish',
        'messaging.destination.name': channel,
        'messaging.message.id': String(event.id),
        'messaging.batch.message_count': stored.length,
        'cairn.event': event.name,
      };
      const parent = event.traceparent ?? null;
      recordSpan(`publish ${event.name}`, { kind: SpanKind.PRODUCER, parent, attributes, start });
    }
  }

  private count({ events }: Batch, stored: readonly number[]): void {
    const now = this.clock.now().getTime();
    this.messages.inc({ outcome: 'stored' }, stored.length);
    if (events.length > stored.length) this.messages.inc({ outcome: 'failed' }, events.length - stored.length);
    for (const position of stored) {
      const occurredAt = Date.parse(events[position]?.occurredAt ?? '');
      this.lags.observe(Math.max(0, (now - occurredAt) / 1000));
    }
  }
}

/** The message of an error, for the log. */
export function withoutSecrets({ message }: Error, { user, password }: EventSinkTarget): string {
  const secret = password === '' ? user : password;
  return secret === '' ? message : message.replaceAll(secret, '…');
}
