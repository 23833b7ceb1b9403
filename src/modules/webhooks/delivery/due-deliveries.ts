import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { Backlogged } from '../../../core/metrics/backlogs.js';
import { inWords, LATE_SECONDS, ReportsHealth, WORKING } from '../../../core/metrics/health-report.js';
import { type Sql, sql } from '../../../engines/sql/sql.js';
import { WAITING } from './delivery.queue.js';

const KEPT_MS = 5_000;

/** Shows whether deliveries that are due are sent. */
@Injectable()
export class DueDeliveries {
  private known: { readonly at: number; readonly oldest: Promise<number | null> } | undefined;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  @Backlogged('due deliveries')
  backlog(): Sql {
    const now = this.clock.now();
    return sql`
      with recursive ${WAITING}, ${oldestDue(now)}
      select (select count(*) from webhook_delivery where next_attempt_at <= ${now}) as waiting,
        (select min(next_attempt_at) from due) as oldest`;
  }

  /** A receiver that is slow or has a limit makes its deliveries wait. So only those count that nobody sends. */
  @ReportsHealth('Deliveries')
  async problem(): Promise<string> {
    const seconds = await this.recent();
    return seconds === null ? WORKING : `A delivery has been due for ${inWords(seconds)}, and nobody sends it.`;
  }

  private recent(): Promise<number | null> {
    const at = this.clock.now().getTime();
    if (this.known !== undefined && Math.abs(at - this.known.at) < KEPT_MS) return this.known.oldest;
    const oldest = this.unattended();
    this.known = { at, oldest };
    oldest.catch(() => (this.known = undefined));
    return oldest;
  }

  private async unattended(): Promise<number | null> {
    const now = this.clock.now();
    const [row] = await this.db.queryInIndexOrder<{ oldest: string | null }>(oldestUnattended(now));
    return row?.oldest == null ? null : (now.getTime() - Date.parse(row.oldest)) / 1000;
  }
}

/**
 * Selects as `oldest` since when the oldest late delivery has been due, of those webhooks for which no attempt is running
 * or has ended recently; null if there is none.
 */
export function oldestUnattended(now: Date): Sql {
  const limit = new Date(now.getTime() - LATE_SECONDS * 1000);
  return sql`
    with recursive ${WAITING}, ${oldestDue(now)}
    select min(next_attempt_at) as oldest from due
    where next_attempt_at < ${limit} and (lease_end is null or lease_end <= ${now})
      and (last_delivery_date is null or last_delivery_date < ${limit})`;
}

/** `due`: for each active webhook, the delivery that is to be sent first, if it is due. Of ordered ones, that is the oldest. */
const oldestDue = (now: Date): Sql => sql`due as (
  select next.next_attempt_at, next.lease_end, webhook.last_delivery_date from waiting
  join webhook on webhook.id = waiting.webhook_id and webhook.is_active and webhook.deleted_date is null
    and (webhook.paused_until is null or webhook.paused_until <= ${now})
  cross join lateral (
    (select next_attempt_at, lease_end from webhook_delivery delivery
     where not webhook.ordered and delivery.webhook_id = webhook.id and delivery.next_attempt_at <= ${now}
     order by delivery.next_attempt_at limit 1)
    union all
    select next_attempt_at, lease_end from (
      select next_attempt_at, lease_end from webhook_delivery delivery
      where webhook.ordered and delivery.webhook_id = webhook.id and delivery.next_attempt_at is not null
      order by delivery.id limit 1) oldest
    where oldest.next_attempt_at <= ${now}
  ) next
)`;
