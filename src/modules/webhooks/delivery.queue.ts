import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import { sql } from '../../engines/sql/sql.js';

/** A delivery with what is needed to send it now: address and secret are the webhook's current ones. */
export interface LeasedDelivery {
  readonly id: number;
  readonly webhook_id: number;
  readonly lease: string;
  readonly message_id: string;
  readonly payload: string;
  readonly attempts: number;
  readonly target_url: string;
  readonly content_type: string;
  /** Sealed. */
  readonly secret: string | null;
  readonly enable_ssl: boolean;
}

/** How many deliveries may be leased now. */
export interface Room {
  readonly total: number;
  /** For each webhook that is not named in `ofWebhook`. */
  readonly each: number;
  readonly ofWebhook: ReadonlyMap<number, number>;
}

/** What became of a leased delivery. */
export interface Outcome {
  readonly id: number;
  readonly lease: string;
  /** Null: nothing was tried, the delivery goes back. */
  readonly attempt: {
    readonly startedAt: Date;
    /** Milliseconds. */
    readonly duration: number;
    readonly statusCode: number | null;
    readonly response: string;
    readonly error: string | null;
  } | null;
  readonly status: 'pending' | 'delivered' | 'failed';
  /** For `pending`. */
  readonly nextAttemptAt: Date | null;
  /** The receiver said that it is gone for good: the webhook is switched off. */
  readonly disable: boolean;
}

/** The unfinished deliveries. */
@Injectable()
export class DeliveryQueue {
  /**
   * Leases due deliveries, fairly: the first of every webhook before the second of any. The webhooks with unfinished
   * deliveries are found by leaps over the index, so a million deliveries of one cost no more than one. A lease that
   * has ended is due again by itself, because its end is kept as the time of the next attempt.
   */
  claim(db: Queryable, room: Room, now: Date, leaseEnd: Date): Promise<LeasedDelivery[]> {
    return db.query<LeasedDelivery>(sql`
      with recursive waiting(webhook_id) as (
        (select webhook_id from webhook_delivery where next_attempt_at is not null order by webhook_id, next_attempt_at limit 1)
        union all
        select (select delivery.webhook_id from webhook_delivery delivery
                where delivery.next_attempt_at is not null and delivery.webhook_id > waiting.webhook_id
                order by delivery.webhook_id, delivery.next_attempt_at limit 1)
        from waiting where waiting.webhook_id is not null
      ), due as materialized (
        select found.id from waiting
        join webhook on webhook.id = waiting.webhook_id and webhook.is_active and webhook.deleted_date is null
        left join unnest(${[...room.ofWebhook.keys()]}::int[], ${[...room.ofWebhook.values()]}::int[])
          as busy(webhook_id, room) on busy.webhook_id = waiting.webhook_id
        cross join lateral (
          select delivery.id, delivery.next_attempt_at from webhook_delivery delivery
          where delivery.webhook_id = waiting.webhook_id and delivery.next_attempt_at <= ${now}
          order by delivery.next_attempt_at, delivery.id
          limit coalesce(busy.room, ${room.each}::int) for update skip locked
        ) found
        order by row_number() over (partition by waiting.webhook_id order by found.next_attempt_at, found.id),
          found.next_attempt_at
        limit ${room.total}
      )
      update webhook_delivery delivery
      set status = 'leased', lease = ${randomUUID()}, next_attempt_at = ${leaseEnd}
      from due, webhook
      where delivery.id = due.id and webhook.id = delivery.webhook_id
      returning delivery.id, delivery.webhook_id, delivery.lease, delivery.message_id, delivery.payload, delivery.attempts,
        webhook.target_url, webhook.content_type, webhook.secret, webhook.enable_ssl`);
  }

  /**
   * Records many outcomes in one statement. Outcomes of leases that have ended and were given to somebody else are
   * dropped. The webhook shows the status of its newest attempted delivery.
   */
  async record(db: Queryable, outcomes: readonly Outcome[], now: Date): Promise<void> {
    const attempt = outcomes.map((outcome) => outcome.attempt);
    await db.query(sql`
      with outcome as materialized (
        select * from unnest(${outcomes.map((outcome) => outcome.id)}::bigint[],
          ${outcomes.map((outcome) => outcome.lease)}::uuid[], ${outcomes.map((outcome) => outcome.status)}::text[],
          ${outcomes.map((outcome) => outcome.nextAttemptAt)}::timestamptz[],
          ${outcomes.map((outcome) => outcome.disable)}::boolean[], ${attempt.map((one) => one !== null)}::boolean[],
          ${attempt.map((one) => one?.startedAt ?? null)}::timestamptz[], ${attempt.map((one) => one?.duration ?? null)}::int[],
          ${attempt.map((one) => one?.statusCode ?? null)}::int[], ${attempt.map((one) => one?.response ?? '')}::text[],
          ${attempt.map((one) => one?.error ?? null)}::text[])
        as outcome(id, lease, status, next_attempt_at, disable, tried, started_at, duration, status_code, response, error)
      ), recorded as (
        update webhook_delivery delivery
        set status = outcome.status, lease = null, next_attempt_at = outcome.next_attempt_at,
          attempts = delivery.attempts + outcome.tried::int,
          status_code = case when outcome.tried then outcome.status_code else delivery.status_code end,
          response = case when outcome.tried then outcome.response else delivery.response end,
          request_duration = case when outcome.tried then outcome.duration else delivery.request_duration end,
          updated_date = case when outcome.tried then ${now} else delivery.updated_date end
        from outcome
        where delivery.id = outcome.id and delivery.lease = outcome.lease
        returning delivery.id, delivery.webhook_id, delivery.attempts, outcome.disable, outcome.tried, outcome.started_at,
          outcome.duration, outcome.status_code, outcome.error
      ), attempted as (
        insert into webhook_attempt (delivery_id, number, started_at, duration, status_code, error)
        select id, attempts, started_at, duration, status_code, error from recorded where tried
      ), newest as materialized (
        select webhook_id, max(id) as id, (array_agg(status_code order by id desc))[1] as status_code,
          bool_or(disable) as disable
        from recorded where tried group by webhook_id
      ), locked as materialized (
        select webhook.id from webhook where webhook.id in (select webhook_id from newest)
        order by webhook.id for no key update
      )
      update webhook set
        is_active = webhook.is_active and not newest.disable,
        last_status = case when newest.id >= coalesce(webhook.last_delivery_id, 0) then newest.status_code else webhook.last_status end,
        last_delivery_date = case when newest.id >= coalesce(webhook.last_delivery_id, 0) then ${now} else webhook.last_delivery_date end,
        last_delivery_id = greatest(webhook.last_delivery_id, newest.id)
      from newest join locked on locked.id = newest.webhook_id
      where webhook.id = newest.webhook_id`);
  }
}
