import { Injectable } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { Backlogged } from '../../../core/metrics/backlogs.js';
import type { Tx } from '../../../core/database/tx.js';
import { Metrics } from '../../../core/metrics/metrics.js';
import type { StoredEvent } from '../../../core/events/event-map.js';
import { NOT_URGENT, OnEventBatch } from '../../../core/events/on-event.js';
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
const OLDEST_EVENT = sql`
  select (select count(*) from outbox_pending) as waiting,
    (select occurred_at from outbox_event where id = (select min(event_id) from outbox_pending)) as oldest`;

/** Counts events and deliveries. */
@Injectable()
export class WebhookMetrics {
  private readonly events: Counter;
  private readonly deliveries: Counter;
  private readonly durations: Histogram;
  private readonly lags: Histogram;

  constructor(metrics: Metrics) {
    this.events = metrics.counter({ name: 'events_total', help: 'Dispatched events by name', labels: ['event'] });
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

  @Backlogged('events')
  pendingEvents(): Sql {
    return OLDEST_EVENT;
  }

  @Backlogged('deliveries')
  unfinishedDeliveries(): Sql {
    return OLDEST_UNFINISHED;
  }

  /** Counts after the commit, because the relay may repeat its transaction. */
  @OnEventBatch()
  dispatched(events: readonly StoredEvent[], tx: Tx): typeof NOT_URGENT {
    tx.afterCommit(() => {
      for (const { name } of events) this.events.inc({ event: name });
    });
    return NOT_URGENT;
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
