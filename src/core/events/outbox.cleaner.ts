import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { or, type Sql, sql } from '../../engines/sql/sql.js';
import { Clock } from '../clock.js';
import { Db } from '../database/db.js';
import { Discovery, methodHook } from '../discovery/discovery.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { UpkeepEvery } from '../worker/workers.js';
import { Listeners } from './listeners.js';

const EVERY_MS = 60_000;
const BATCH = 1000;
/** Rows of a few bytes. */
const POSITIONS = 20_000;
const DAY_MS = 86_400_000;

/** The method returns a selection of events, as a column `event_id`, that must not be deleted yet. */
export const KeepsEvents = methodHook<void, () => Sql>();

/** Events that some listener has yet to handle. Its position may be a little before others, which are not for it. */
const UNHANDLED = sql`
  select event_id from outbox_order where exists (
    select from outbox_listener listener
    where listener.position < outbox_order.position
      and (listener.events is null or outbox_order.name = any(listener.events)))`;

/** Deletes old events and what belongs to them in bounded batches. */
@Injectable()
export class OutboxCleaner {
  constructor(
    private readonly db: Db,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly discovery: Discovery,
    private readonly listeners: Listeners,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Deletes one batch of each type. @returns whether there may be more */
  @UpkeepEvery({ name: 'outbox clean-up', everyMs: EVERY_MS })
  async cleanOnce(): Promise<boolean> {
    const limit = new Date(this.clock.now().getTime() - this.config.webhooks.retentionDays * DAY_MS);
    await this.forgetListeners(limit);
    await this.expireQuarantine(limit);
    const positions = await this.deletePositions();
    const events = await this.deleteEvents(limit);
    return positions === POSITIONS || events === BATCH;
  }

  /** A listener that no process has had for as long as events are kept is one of an extension that was removed. */
  private async forgetListeners(limit: Date): Promise<void> {
    const known = this.listeners.wanted.map(({ name }) => name);
    const gone = await this.db.query<{ name: string }>(sql`
      with gone as (
        delete from outbox_listener where seen_date < ${limit} and name <> all(${known}::text[]) returning name
      ), unhandled as (
        delete from outbox_quarantine where listener in (select name from gone)
      )
      select name from gone`);
    for (const { name } of gone) this.log.warn({ listener: name }, 'a listener that no longer exists was removed');
  }

  /** Events in quarantine are kept as long as others. */
  private async expireQuarantine(limit: Date): Promise<void> {
    const gone = await this.db.query<{ listener: string; event_id: number }>(sql`
      delete from outbox_quarantine where id in (
        select outbox_quarantine.id from outbox_quarantine left join outbox_event on outbox_event.id = event_id
        where occurred_at is null or occurred_at < ${limit} limit ${BATCH})
      returning listener, event_id`);
    if (gone.length === 0) return;
    const details = { listeners: [...new Set(gone.map(({ listener }) => listener))], events: gone.length };
    this.log.error(details, 'events in quarantine are too old and were never handled');
  }

  /** All listeners have passed these positions. The newest one stays: it is where new listeners begin. */
  private async deletePositions(): Promise<number> {
    const gone = await this.db.query(sql`
      delete from outbox_order where position in (
        select position from outbox_order where position < (select min(position) from outbox_listener)
        order by position limit ${POSITIONS})
      returning 1`);
    return gone.length;
  }

  /** Ids grow with time, so the oldest events come first. Their positions are deleted when they have been handled. */
  private async deleteEvents(limit: Date): Promise<number> {
    const kept = [
      sql`select event_id from outbox_pending`,
      UNHANDLED,
      sql`select event_id from outbox_quarantine`,
      ...this.discovery.methods(KeepsEvents).map(({ found }) => found()),
    ];
    const isKept = kept.map((ids) => sql`exists (select 1 from (${ids}) kept where kept.event_id = oldest.id)`);
    const gone = await this.db.query(sql`
      with oldest as materialized (select id, occurred_at from outbox_event order by id limit ${BATCH})
      delete from outbox_event using oldest
      where outbox_event.id = oldest.id and oldest.occurred_at < ${limit} and not ${or(isKept)}
      returning 1`);
    return gone.length;
  }
}
