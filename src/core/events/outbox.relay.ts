import { Inject, Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { sql } from '../../engines/sql/sql.js';
import type { Tx } from '../database/tx.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { Poller } from '../worker/poller.js';
import { BackgroundWorker, type Worker } from '../worker/workers.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import type { Snapshot, StoredEvent } from './event-map.js';
import { EVENT_BATCH } from './on-event.js';
import { OutboxWriter } from './outbox.writer.js';

/** Events at a time at first, … */
const BATCH = 500;
/** … and at most, while many wait: what each batch costs beside its events would hold up whoever sends the news of them. */
const MOST = 4 * BATCH;
/** Fewer while they are so long that a batch would have more characters of JSON than these. */
const CHARACTERS = 6 * 2 ** 20;
/** What is very long says the same again and again; as PostgreSQL stores it, it is about so many times shorter. */
const COMPRESSION = 8;
/** Other processes' commits are found at this pace; this process's own at once. */
const POLL_MS = 250;
/** Advisory lock: one process relays at a time. */
const RELAY_LOCK = 0x52_45_4c_41;
/** A process that hangs while it relays is cut off by the database after this time, and another one goes on. */
const HANGING = '30s';

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
  /** Bytes of what is very long, compressed. */
  readonly stored: number;
}

/**
 * Takes committed events, oldest first, and hands them to the listeners: the batch with the relay's own transaction
 * first (what they write commits together with "event relayed"), then each event by its name.
 */
@Injectable()
@BackgroundWorker('events')
export class OutboxRelay implements Worker {
  private readonly poller: Poller;
  private readonly forget: () => void;
  private limit = BATCH;

  constructor(
    private readonly work: UnitOfWork,
    private readonly emitter: EventEmitter2,
    writer: OutboxWriter,
    @Inject(LOGGER) log: Logger,
  ) {
    this.poller = new Poller('outbox relay', POLL_MS, () => this.relay(), log);
    this.forget = writer.onCommit(() => this.poller.wake());
  }

  start(): void {
    this.poller.start();
  }

  async stop(): Promise<void> {
    this.forget();
    await this.poller.stop();
  }

  /** Relays until nothing is pending. For tests and for shutting down tidily. */
  async drain(): Promise<void> {
    while ((await this.relayBatch(this.limit)) > 0);
  }

  /** One batch. @returns whether there may be more */
  private async relay(): Promise<boolean> {
    const { limit } = this;
    return (await this.relayBatch(limit)) === limit;
  }

  private relayBatch(limit: number): Promise<number> {
    return this.work.run(async (tx) => {
      const [, events] = await Promise.all([this.waitForTurn(tx), this.claim(tx, limit)]);
      if (events.length === 0) return 0;
      await this.emitter.emitAsync(EVENT_BATCH, events, tx);
      for (const event of events) {
        if (this.emitter.listenerCount(event.name) > 0) await this.emitter.emitAsync(event.name, event, tx);
      }
      return events.length;
    });
  }

  /**
   * What listeners write is numbered in the order of the events only if no other process relays meanwhile: two changes of
   * one object may be made through two processes. A statement of its own, so that the next one, which is sent
   * with it, sees what the other did.
   */
  private async waitForTurn(tx: Tx): Promise<void> {
    await tx.query(sql`
      select pg_advisory_xact_lock(${RELAY_LOCK}::bigint), set_config('idle_in_transaction_session_timeout', ${HANGING}, true)`);
  }

  /**
   * Takes first and hands out after: a failing listener rolls that back with everything else. Two statements: the database
   * would write the texts of a long batch to a file if one both removed and answered them.
   */
  private async claim(tx: Tx, limit: number): Promise<StoredEvent[]> {
    // By arrays: joined, events would be read from first to last whenever the database takes a batch for a large part of them.
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
 * How many events to take after a batch. One that left nothing behind says little of how long the next events are.
 * @param characters of its events' JSON
 */
export function nextLimit(limit: number, count: number, characters: number): number {
  if (characters > CHARACTERS) return Math.max(1, limit >> 1);
  if (count < limit) return Math.min(BATCH, limit * 2);
  return 2 * characters > CHARACTERS ? limit : Math.min(MOST, limit * 2);
}

/**
 * The objects are read when somebody asks for them: most events have no listener. What is very long of them is left out.
 * Those of the event that was asked last are kept: all of a batch would outlive the collections of young garbage.
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
