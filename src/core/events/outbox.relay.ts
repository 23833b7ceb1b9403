import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { sql } from '../../engines/sql/sql.js';
import type { Tx } from '../database/tx.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { Notifier } from '../worker/notifier.js';
import { Poller } from '../worker/poller.js';
import { BackgroundWorker, type Worker } from '../worker/workers.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import type { StoredEvent } from './event-map.js';
import type { Snapshot } from '../versioning/representations.js';
import { EVENT_BATCH, NOT_URGENT } from './on-event.js';

/** Initial number of events per batch. */
const BATCH = 500;
/**
 * Maximum number of events per batch, used under backlog, where the fixed cost of each batch would delay the senders.
 */
const MOST = 4 * BATCH;
/** A batch is smaller if its events would exceed this many characters of JSON. */
const CHARACTERS = 6 * 2 ** 20;
/** Very long parts are repetitive; PostgreSQL stores them compressed by about this factor. */
const COMPRESSION = 8;
/** Polling interval while the notifications of other processes do not arrive. */
const POLL_MS = 250;
/**
 * Pause after a batch that was not urgent (no webhook is enabled). Otherwise the relay would add several statements to
 * every change: up to a quarter of the cost of a comment.
 */
const NOT_URGENT_MS = 50;
/** Advisory lock: one process relays at a time. */
const RELAY_LOCK = 0x52_45_4c_41;
/** The database disconnects a process that hangs while relaying after this time, so that another one can take over. */
const IDLE_TIMEOUT = '30s';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly object_id: string;
  readonly organization_id: number | null;
  readonly project_id: number | null;
  readonly sender: StoredEvent['sender'];
  readonly before: string | null;
  readonly after: string;
  readonly occurred_at: string;
  /** Bytes of the very long parts, compressed. */
  readonly stored: number;
}

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
      const [, events] = await Promise.all([this.waitForTurn(tx), this.claim(tx, limit)]);
      if (events.length === 0) return 0;
      const results: unknown[] = await this.emitter.emitAsync(EVENT_BATCH, events, tx);
      const heard = events.filter(({ name }) => this.emitter.listenerCount(name) > 0);
      for (const event of heard) await this.emitter.emitAsync(event.name, event, tx);
      this.isUrgent = heard.length > 0 || results.some((result) => result !== NOT_URGENT);
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
    const rows = await tx.query<Row>(sql`
      select id, name, object_id, organization_id, project_id, sender, before::text as before, after::text as after, occurred_at,
        coalesce(pg_column_size(extras), 0) as stored
      from outbox_event where id = any(${taken.map((row) => row.event_id)}::bigint[]) order by id`);
    const lengthOf = (row: Row): number => row.after.length + (row.before?.length ?? 0) + COMPRESSION * row.stored;
    const characters = rows.reduce((sum, row) => sum + lengthOf(row), 0);
    this.limit = nextLimit(limit, rows.length, characters);
    return toEvents(rows);
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

/**
 * Objects are parsed on demand, because most events have no listener. Very long parts are left out. Only the objects of
 * the last requested event are kept: those of a whole batch would survive young-generation garbage collection.
 */
function toEvents(rows: readonly Row[]): StoredEvent[] {
  let read: { row?: Row; before?: Snapshot; after?: Snapshot } = {};
  const readOf = (row: Row): typeof read => (read.row === row ? read : (read = { row }));
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    objectId: row.object_id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    sender: row.sender,
    occurredAt: row.occurred_at,
    json: row,
    get after() {
      return (readOf(row).after ??= JSON.parse(row.after) as Snapshot);
    },
    get before() {
      return row.before === null ? undefined : (readOf(row).before ??= JSON.parse(row.before) as Snapshot);
    },
  }));
}
