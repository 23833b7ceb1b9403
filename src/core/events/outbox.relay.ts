import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { sql } from '../../engines/sql/sql.js';
import { isTracing, recordSpan, SpanKind } from '../../engines/tracing/tracing.js';
import type { Tx } from '../database/tx.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { Notifier } from '../worker/notifier.js';
import { Poller } from '../worker/poller.js';
import { BackgroundWorker, type Worker } from '../worker/workers.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import type { StoredEvent } from './event-map.js';
import { EVENT_BATCH, NOT_URGENT } from './on-event.js';
import { eventsById } from './stored-event.js';

/** Initial number of events per batch. */
const BATCH = 500;
/**
 * Maximum number of events per batch, used under backlog, where the fixed cost of each batch would delay the senders.
 */
const MOST = 4 * BATCH;
/** A batch is smaller if its events would exceed this many characters of JSON. */
const CHARACTERS = 6 * 2 ** 20;
/** Polling interval while the notifications of other processes do not arrive. */
const POLL_MS = 250;
/**
 * Pause after a batch that was not urgent (for example, no webhook is enabled). Otherwise the relay would add several statements to
 * every change: up to a quarter of the cost of a comment.
 */
const NOT_URGENT_MS = 50;
/** Advisory lock: one process relays at a time. */
const RELAY_LOCK = 0x52_45_4c_41;
/** The database disconnects a process that hangs while relaying after this time, so that another one can take over. */
const IDLE_TIMEOUT = '30s';

/**
 * Takes committed events, oldest first, and passes them to the listeners: first the batch, in the relay's own
 * transaction (what listeners write is committed together with "event relayed"), then each event by its name.
 */
@Injectable()
@BackgroundWorker('events')
export class OutboxRelay implements Worker {
  private readonly poller: Poller;
  private stopListening: (() => void) | undefined;
  private limit = BATCH;
  private isUrgent = true;

  constructor(
    private readonly work: UnitOfWork,
    private readonly emitter: EventEmitter2,
    private readonly notifier: Notifier,
    @Inject(LOGGER) log: Logger,
  ) {
    this.poller = new Poller(
      'outbox relay',
      () => notifier.pollMs(POLL_MS),
      () => this.relay(),
      log,
    );
  }

  start(): void {
    this.stopListening = this.notifier.listen('events', () => this.poller.wake());
    this.poller.start();
  }

  async stop(): Promise<void> {
    this.stopListening?.();
    await this.poller.stop();
  }

  /** Relays until nothing is pending. For tests and orderly shutdown. */
  async drain(): Promise<void> {
    while ((await this.relayBatch(this.limit)) > 0);
  }

  /** Relays one batch. @returns whether there may be more */
  private async relay(): Promise<boolean> {
    const { limit } = this;
    const count = await this.relayBatch(limit);
    if (count > 0 && count < limit && !this.isUrgent) await pause(NOT_URGENT_MS, undefined, { ref: false });
    return count === limit;
  }

  private relayBatch(limit: number): Promise<number> {
    return this.work.run(async (tx) => {
      const start = new Date();
      const [, events] = await Promise.all([this.waitForTurn(tx), this.claim(tx, limit)]);
      if (events.length === 0) return 0;
      const results: unknown[] = await this.emitter.emitAsync(EVENT_BATCH, events, tx);
      for (const event of events) {
        if (this.emitter.listenerCount(event.name) === 0) continue;
        results.push(...((await this.emitter.emitAsync(event.name, event, tx)) as unknown[]));
      }
      if (isTracing()) tx.afterCommit(() => traceEvents(events, start));
      this.isUrgent = results.some((result) => result !== NOT_URGENT);
      return events.length;
    });
  }

  /**
   * Rows that listeners write are numbered in event order only if no other process relays at the same time: two
   * processes may change the same object. This is a separate statement, so that the next one, which is pipelined with
   * it, sees the commits of the other process.
   */
  private async waitForTurn(tx: Tx): Promise<void> {
    await tx.query(sql`
      select pg_advisory_xact_lock(${RELAY_LOCK}::bigint), set_config('idle_in_transaction_session_timeout', ${IDLE_TIMEOUT}, true)`);
  }

  /**
   * Removes the events before passing them on; if a listener fails, the rollback restores them. Uses two statements: a
   * single one that both removes and returns a long batch would make the database write its texts to a temporary file.
   */
  private async claim(tx: Tx, limit: number): Promise<StoredEvent[]> {
    // Uses arrays: with a join, the database scans all events whenever it estimates the batch to be a large part of
    // them.
    const taken = await tx.query<{ readonly event_id: number }>(sql`
      delete from outbox_pending where event_id = any(array(
        select event_id from outbox_pending order by event_id limit ${limit} for update skip locked))
      returning event_id`);
    if (taken.length === 0) return [];
    const { events, characters } = await eventsById(
      tx,
      taken.map((row) => row.event_id),
    );
    this.limit = nextLimit(limit, events.length, characters);
    return events;
  }
}

/** Records a span for each event, from its batch to the commit, in the trace of the request that caused it. */
function traceEvents(events: readonly StoredEvent[], start: Date): void {
  for (const { id, name, objectId, traceparent, occurredAt } of events) {
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

/**
 * The number of events to take after a batch. A batch that left nothing behind says little about the length of the next
 * events.
 * @param characters of the batch's JSON
 */
export function nextLimit(limit: number, count: number, characters: number): number {
  if (characters > CHARACTERS) return Math.max(1, limit >> 1);
  if (count < limit) return Math.min(BATCH, limit * 2);
  return 2 * characters > CHARACTERS ? limit : Math.min(MOST, limit * 2);
}
