import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { UpkeepEvery } from '../../../core/worker/workers.js';
import { sql } from '../../../engines/sql/sql.js';
import { LogSize } from './log-size.js';

const EVERY_MS = 60_000;
const TRIM_EVERY_MS = 5 * 60_000;
const BATCH = 1000;
const DAY_MS = 86_400_000;

/** Removes old deliveries and the rows of deleted webhooks, a bounded batch at a time. */
@Injectable()
export class WebhookCleaner {
  private trimmedAt = 0;

  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LogSize) private readonly logSize: LogSize,
  ) {}

  /** One batch of each kind. @returns whether there may be more */
  @UpkeepEvery({ name: 'webhook clean-up', everyMs: EVERY_MS })
  async cleanOnce(): Promise<boolean> {
    const old = await this.removeOldDeliveries();
    await this.trimLog();
    const ofDeleted = await this.removeDeliveriesOfDeleted();
    await this.removeDeleted();
    await this.removeEndedLeases();
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

  /** Of deliveries that were removed while they were being sent. */
  private async removeEndedLeases(): Promise<void> {
    await this.db.query(sql`delete from webhook_lease where ends_at <= ${this.clock.now()}`);
  }

  private async count(statement: ReturnType<typeof sql>): Promise<number> {
    return (await this.db.query(statement)).length;
  }
}
