import { Injectable } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { Backlogged } from '../../../core/metrics/backlogs.js';
import { Metrics } from '../../../core/metrics/metrics.js';
import { type Sql, sql } from '../../../engines/sql/sql.js';
import type { Outcome } from './delivery.queue.js';
import type { AttemptResult } from './webhook-sender.js';

/** A skip scan, so the oldest delivery is found without reading finished deliveries or the backlog of a webhook. */
const OLDEST_UNFINISHED = sql`
  with recursive waiting(webhook_id, id) as (
    (select webhook_id, id from webhook_delivery where next_attempt_at is not null order by webhook_id, id limit 1)
    union all
    select next.webhook_id, next.id from waiting cross join lateral (
      select delivery.webhook_id, delivery.id from webhook_delivery delivery
      where delivery.next_attempt_at is not null and delivery.webhook_id > waiting.webhook_id
      order by delivery.webhook_id, delivery.id limit 1) next
  )
  select (select count(*) from webhook_delivery where next_attempt_at is not null) as waiting,
    (select min(delivery.created_date) from webhook_delivery delivery
     where delivery.id = any(array(select id from waiting))) as oldest`;

/** Counts deliveries. */
@Injectable()
export class WebhookMetrics {
  private readonly deliveries: Counter;
  private readonly durations: Histogram;
  private readonly lags: Histogram;

  constructor(metrics: Metrics) {
    this.deliveries = metrics.counter({
      name: 'webhook_attempts_total',
      help: 'Delivery attempts by outcome: delivered, retry, failed, disabled, returned',
      labels: ['outcome'],
    });
    this.durations = metrics.times({
      name: 'webhook_attempt_duration_seconds',
      help: 'Duration of delivery attempts in seconds, until the end of the response',
      labels: ['outcome'],
    });
    this.lags = metrics.times({
      name: 'webhook_delivery_lag_seconds',
      help: 'Seconds from the time a delivery becomes due to the end of its first attempt, if that is successful',
    });
  }

  @Backlogged('deliveries')
  unfinishedDeliveries(): Sql {
    return OLDEST_UNFINISHED;
  }

  attempted(
    delivery: { readonly attempts: number; readonly next_attempt_at: string },
    sent: AttemptResult,
    outcome: Outcome,
    now: Date,
  ): void {
    const of = { outcome: nameOf(outcome) };
    this.deliveries.inc(of);
    if (outcome.attempt === null) return;
    this.durations.observe(of, sent.duration / 1000);
    const lag = (now.getTime() - Date.parse(delivery.next_attempt_at)) / 1000;
    if (delivery.attempts === 0 && outcome.status === 'delivered') this.lags.observe(Math.max(0, lag));
  }
}

function nameOf({ attempt, status, disable }: Outcome): string {
  if (attempt === null) return 'returned';
  if (disable) return 'disabled';
  return status === 'pending' ? 'retry' : status;
}
