import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Db } from '../../../core/database/db.js';
import { type Sql, sql } from '../../../engines/sql/sql.js';

/** Deliveries that are looked at to learn how large one is. */
const SAMPLE = 10_000;
const BATCH = 1000;

/** Bytes that the row of a delivery takes with its attempts, about; what is stored compressed counts as that. */
const SIZE: Sql = sql`(128 + pg_column_size(delivery.payload) + pg_column_size(delivery.response) + coalesce((
  select sum(96 + coalesce(pg_column_size(attempt.details), 0) + coalesce(pg_column_size(attempt.error), 0))
  from webhook_attempt attempt where attempt.delivery_id = delivery.id), 0))`;

/** Keeps the log of deliveries within its size. */
@Injectable()
export class LogSize {
  constructor(
    @Inject(Db) private readonly db: Db,
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
      select pg_total_relation_size('webhook_delivery') + pg_total_relation_size('webhook_attempt') as bytes`);
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
