import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import type { StoredEvent } from '../../core/events/event-map.js';
import { NOT_URGENT, OnEventBatch } from '../../core/events/on-event.js';
import { KeepsEvents } from '../../core/events/outbox.cleaner.js';
import { eventTexts, toEvents } from '../../core/events/stored-event.js';
import { Backlogged } from '../../core/metrics/backlogs.js';
import { HoldsLeases, LiveProcesses, type LeaseTable } from '../../core/worker/live-processes.js';
import { Notifier } from '../../core/worker/notifier.js';
import { type Sql, sql } from '../../engines/sql/sql.js';

/** A batch takes half of this time at most. */
const LEASE_MS = 60_000;
const BATCH = 500;
const EXPIRED_BATCH = 1000;
const DAY_MS = 86_400_000;

/** The next events to publish. */
export interface Batch {
  readonly events: readonly StoredEvent[];
  /** Ids of pending events, including those whose event no longer exists. */
  readonly ids: readonly number[];
}

export interface SinkState {
  /** Name of the publisher. */
  readonly name: string;
  readonly failing_since: string | null;
  readonly error: string | null;
}

/** Events that wait for the broker, and the lease of the process that publishes them. */
@Injectable()
@HoldsLeases()
export class EventSinkQueue implements LeaseTable {
  readonly holders = sql`select holder from event_sink where holder is not null`;
  private readonly lease = randomUUID();

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly notifier: Notifier,
    private readonly processes: LiveProcesses,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The relay passes on events of one object in the order of their ids, so pending events are published in this order. */
  @OnEventBatch({ listener: 'event sink', isWanted: ({ eventSink }) => eventSink.target !== null })
  add(events: readonly StoredEvent[], tx: Tx): typeof NOT_URGENT {
    const ids = events.map(({ id }) => id);
    tx.write(sql`
      insert into event_sink_pending (event_id) select unnest(${ids}::bigint[]) on conflict do nothing`);
    tx.afterCommit(() => this.notifier.notify('event-sink'));
    return NOT_URGENT;
  }

  @KeepsEvents()
  pending(): Sql {
    return sql`select event_id from event_sink_pending`;
  }

  @Backlogged('event sink')
  backlog(): Sql {
    return sql`
      select (select count(*) from event_sink_pending) as waiting,
        (select occurred_at from outbox_event where id = (select min(event_id) from event_sink_pending)) as oldest`;
  }

  async releaseLeases(db: Db, dead: readonly number[]): Promise<void> {
    await db.query(sql`
      update event_sink set lease = null, lease_end = null, holder = null where holder = any(${[...dead]}::int[])`);
    this.notifier.notify('event-sink');
  }

  /**
   * Makes this process the only one that publishes, for some time.
   * @returns undefined if nothing is pending, or if another process publishes
   */
  async take(): Promise<SinkState | undefined> {
    const now = this.clock.now();
    const [state] = await this.db.query<SinkState>(sql`
      insert into event_sink (id, lease, lease_end, holder)
      select 1, ${this.lease}::uuid, ${new Date(now.getTime() + LEASE_MS)}::timestamptz, ${this.processes.holder}::int
      where exists (select 1 from event_sink_pending)
      on conflict (id) do update set lease = excluded.lease, lease_end = excluded.lease_end, holder = excluded.holder
      where event_sink.lease is null or event_sink.lease = excluded.lease or event_sink.lease_end < ${now}
      returning name, failing_since, error`);
    return state;
  }

  /** As many as may be in memory at the same time. */
  async next(): Promise<Batch> {
    const rows = await this.db.query<{ event_id: number }>(
      sql`select event_id from event_sink_pending order by event_id limit ${BATCH}`,
    );
    const ids = rows.map(({ event_id: id }) => id);
    const { texts, isCut } = await eventTexts(this.db, ids);
    const last = isCut ? (texts.at(-1)?.id ?? 0) : Infinity;
    return { ids: ids.filter((id) => id <= last), events: toEvents(texts) };
  }

  /** @param error why the events after these were not published */
  async sent(ids: readonly number[], error: string | null): Promise<void> {
    const now = this.clock.now();
    const last = ids.length > 0 ? sql`${now}` : sql`sent_at`;
    const since = error === null ? sql`null` : sql`coalesce(failing_since, ${now})`;
    await this.db.query(sql`
      with gone as (delete from event_sink_pending where event_id = any(${[...ids]}::bigint[]))
      update event_sink set sent_at = ${last}, failing_since = ${since}, error = ${error}::text where id = 1`);
  }

  /** Lets another process publish. */
  async release(): Promise<void> {
    await this.db.query(sql`
      update event_sink set lease = null, lease_end = null, holder = null where lease = ${this.lease}::uuid`);
  }

  /** @returns the state; undefined before the first event */
  async state(): Promise<SinkState | undefined> {
    const [state] = await this.db.query<SinkState>(sql`select name, failing_since, error from event_sink`);
    return state;
  }

  /** Removes pending events that are too old, a batch of the oldest. @returns their number */
  async expire(): Promise<number> {
    const limit = new Date(this.clock.now().getTime() - this.config.eventSink.retentionDays * DAY_MS);
    const gone = await this.db.query(sql`
      with oldest as materialized (select event_id from event_sink_pending order by event_id limit ${EXPIRED_BATCH})
      delete from event_sink_pending using oldest left join outbox_event on outbox_event.id = oldest.event_id
      where event_sink_pending.event_id = oldest.event_id and (occurred_at is null or occurred_at < ${limit})
      returning 1`);
    return gone.length;
  }
}
