import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { unhandledBy } from '../../../core/events/unhandled.js';
import { UpkeepEvery } from '../../../core/worker/workers.js';
import { sql, type Sql } from '../../../engines/sql/sql.js';
import { WEBHOOKS_LISTENER } from '../dispatch/webhook-dispatcher.js';

const BATCH = 1000;
const TRIM_EVERY_MS = 5 * 60_000;

/** The number of deliveries sampled to estimate the mean size. */
const SAMPLE = 10_000;

/**
 * Estimated stored size of a delivery in bytes, with its attempts and its share of the payload. The payload may be
 * compressed.
 */
const SIZE: Sql = sql`(128 + coalesce(pg_column_size(delivery.payload), 0) + pg_column_size(delivery.response) + coalesce((
  select (64 + pg_column_size(shared.head))
    / (select count(*) from webhook_delivery other where other.payload_id = delivery.payload_id)
  from webhook_payload shared where shared.id = delivery.payload_id), 0) + coalesce((
  select sum(96 + coalesce(pg_column_size(attempt.details), 0) + coalesce(pg_column_size(attempt.error), 0))
  from webhook_attempt attempt where attempt.delivery_id = delivery.id), 0))`;

/** Keeps the delivery log within its size limit. */
@Injectable()
export class LogSize {
  constructor(
    private readonly db: Db,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Removes the oldest finished deliveries in batches until about as many bytes are removed as the log exceeds its
   * limit. Tables do not shrink when rows are deleted, so their size on disk only shows whether there is nothing to do.
   * Counting is slow, so it does not run often.
   * @returns the number of removed deliveries
   */
  @UpkeepEvery({ name: 'limit of the delivery log', everyMs: TRIM_EVERY_MS })
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

  /** Number of rows times the mean size of a sample. Small tables are measured completely. */
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

  /** The last removed delivery may exceed `excess` slightly. */
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
const DAY_MS = 86_400_000;

/** Removes old deliveries and the rows of deleted webhooks, one bounded batch at a time. */
@Injectable()
export class WebhookCleaner {
  constructor(
    private readonly db: Db,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Runs one batch of each type. @returns whether more may remain */
  @UpkeepEvery({ name: 'webhook clean-up', everyMs: EVERY_MS })
  async cleanOnce(): Promise<boolean> {
    const old = await this.removeOldDeliveries();
    const ofDeleted = await this.removeDeliveriesOfDeleted();
    await this.removeDeleted();
    return old === BATCH || ofDeleted === BATCH;
  }

  /**
   * Ids grow with time, so the oldest deliveries have the lowest ids and no index on dates is needed. Also removes
   * unfinished ones.
   */
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
   * Removes deleted webhooks without deliveries. A webhook whose project or organization is deleted also counts as
   * deleted, once every event up to the deletion has been dispatched and delivered.
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
        and not exists (select 1 from (${unhandledBy(WEBHOOKS_LISTENER)}) unhandled)`);
  }

  private async count(statement: ReturnType<typeof sql>): Promise<number> {
    return (await this.db.query(statement)).length;
  }
}
