import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { UpkeepEvery } from '../../../core/worker/workers.js';
import { sql, type Sql } from '../../../engines/sql/sql.js';

const BATCH = 1000;

/** Deliveries that are looked at to learn how large one is. */
const SAMPLE = 10_000;

/** Estimated bytes of a delivery with its attempts and its share of the payload, as stored: that may be compressed. */
const SIZE: Sql = sql`(128 + coalesce(pg_column_size(delivery.payload), 0) + pg_column_size(delivery.response) + coalesce((
  select (64 + pg_column_size(shared.head))
    / (select count(*) from webhook_delivery other where other.payload_id = delivery.payload_id)
  from webhook_payload shared where shared.id = delivery.payload_id), 0) + coalesce((
  select sum(96 + coalesce(pg_column_size(attempt.details), 0) + coalesce(pg_column_size(attempt.error), 0))
  from webhook_attempt attempt where attempt.delivery_id = delivery.id), 0))`;

/** Keeps the log of deliveries within its size. */
@Injectable()
export class LogSize {
  constructor(
    private readonly db: Db,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Removes the oldest finished deliveries, a batch at a time, until about as much has gone as was too much. Tables do not
   * shrink when rows go, so their size on disk only tells when nothing needs to be done.
   * @returns how many were removed
   */
  async trim(): Promise<number> {
    const limit = this.config.webhooks.logMaxBytes;
    if (limit === 0 || (await this.onDisk()) <= limit) return 0;
    let excess = (await this.estimate()) - limit;
    let removed = 0;
    while (excess > 0) {
      const batch = await this.removeOldest(excess);
      if (batch.count === 0) return removed;
      removed += batch.count;
      excess -= batch.bytes;
    }
    return removed;
  }

  /** Of the rows that are there: their number times the mean size of some; of few rows, all. */
  async estimate(): Promise<number> {
    const [{ count } = { count: 0 }] = await this.db.query<{ count: number }>(
      sql`select count(*) as count from webhook_delivery`,
    );
    if (count === 0) return 0;
    const percent = Math.min(100, (100 * SAMPLE) / count);
    const [row] = await this.db.query<{ mean: number | null }>(sql`
      select avg(${SIZE})::float8 as mean from webhook_delivery delivery tablesample system (${percent})`);
    return count * (row?.mean ?? 0);
  }

  private async onDisk(): Promise<number> {
    const [row] = await this.db.query<{ bytes: number }>(sql`
      select pg_total_relation_size('webhook_delivery') + pg_total_relation_size('webhook_attempt')
        + pg_total_relation_size('webhook_payload') as bytes`);
    return row?.bytes ?? 0;
  }

  /** The last one may go a little beyond the excess. */
  private async removeOldest(excess: number): Promise<{ count: number; bytes: number }> {
    const [row] = await this.db.query<{ count: number; bytes: number | null }>(sql`
      with oldest as materialized (
        select delivery.id, ${SIZE} as bytes from webhook_delivery delivery
        where delivery.next_attempt_at is null order by delivery.id limit ${BATCH}
      ), needed as materialized (
        select id, bytes from (select id, bytes, sum(bytes) over (order by id) as whole from oldest) summed
        where whole - bytes < ${excess}
      ), gone as (
        delete from webhook_delivery using needed where webhook_delivery.id = needed.id and next_attempt_at is null
        returning needed.bytes
      )
      select count(*) as count, sum(bytes)::float8 as bytes from gone`);
    return { count: row?.count ?? 0, bytes: row?.bytes ?? 0 };
  }
}

const EVERY_MS = 60_000;
const TRIM_EVERY_MS = 5 * 60_000;
const DAY_MS = 86_400_000;

/** Removes old deliveries and the rows of deleted webhooks, a bounded batch at a time. */
@Injectable()
export class WebhookCleaner {
  private trimmedAt = 0;

  constructor(
    private readonly db: Db,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly logSize: LogSize,
  ) {}

  /** One batch of each kind. @returns whether there may be more */
  @UpkeepEvery({ name: 'webhook clean-up', everyMs: EVERY_MS })
  async cleanOnce(): Promise<boolean> {
    const old = await this.removeOldDeliveries();
    await this.trimLog();
    const ofDeleted = await this.removeDeliveriesOfDeleted();
    await this.removeDeleted();
    return old === BATCH || ofDeleted === BATCH;
  }

  /** Counting takes a while, so it is not done at every step. */
  private async trimLog(): Promise<void> {
    const now = this.clock.now().getTime();
    if (now - this.trimmedAt < TRIM_EVERY_MS) return;
    this.trimmedAt = now;
    await this.logSize.trim();
  }

  /** Ids grow with time, so the old ones are the first: no index over dates is needed. Unfinished ones go, too. */
  private removeOldDeliveries(): Promise<number> {
    const limit = new Date(this.clock.now().getTime() - this.config.webhooks.retentionDays * DAY_MS);
    return this.count(sql`
      with oldest as materialized (select id, created_date from webhook_delivery order by id limit ${BATCH})
      delete from webhook_delivery using oldest
      where webhook_delivery.id = oldest.id and oldest.created_date < ${limit} returning 1`);
  }

  private removeDeliveriesOfDeleted(): Promise<number> {
    return this.count(sql`
      delete from webhook_delivery where id in (
        select delivery.id from webhook join lateral (
          select id from webhook_delivery where webhook_id = webhook.id limit ${BATCH}
        ) delivery on true
        where webhook.deleted_date is not null limit ${BATCH}
      ) returning 1`);
  }

  /**
   * Deleted webhooks without deliveries left; and as deleted count those whose project or organization has gone, once
   * every event of that time has been dispatched and delivered.
   */
  private async removeDeleted(): Promise<void> {
    await this.db.query(sql`
      delete from webhook where deleted_date is not null
        and not exists (select 1 from webhook_delivery where webhook_id = webhook.id)`);
    await this.db.query(sql`
      update webhook set deleted_date = ${this.clock.now()}, is_active = false
      where deleted_date is null
        and ((project_id is not null and not exists (select 1 from project where project.id = webhook.project_id))
          or (organization_id is not null and not exists (select 1 from organization where organization.id = webhook.organization_id)))
        and not exists (select 1 from webhook_delivery where webhook_id = webhook.id and next_attempt_at is not null)
        and not exists (select 1 from outbox_pending)`);
  }

  private async count(statement: ReturnType<typeof sql>): Promise<number> {
    return (await this.db.query(statement)).length;
  }
}
