import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import type { Db, Queryable } from '../../../core/database/db.js';
import { HoldsLeases, type LeaseTable, LiveProcesses } from '../../../core/worker/live-processes.js';
import { ProcessDuties } from '../../../core/worker/process-duties.js';
import { jsonLines, raw, type Sql, sql } from '../../../engines/sql/sql.js';
import { payloadText } from '../dispatch/payload-text.js';
import type { AttemptDetails } from './webhook-sender.js';
import type { SealedSecrets } from '../subscriptions/webhook-secrets.js';

/** A delivery with everything needed to send it now, including the webhook's current URL and secret. */
export interface LeasedDelivery extends SealedSecrets {
  readonly id: number;
  readonly webhook_id: number;
  readonly lease: string;
  readonly message_id: string;
  readonly payload: string;
  readonly attempts: number;
  readonly target_url: string;
  readonly content_type: string;
  readonly enable_ssl: boolean;
  /** Seconds before each attempt; null: the server's setting. */
  readonly retry_schedule: readonly number[] | null;
  readonly timeout: number | null;
  readonly rate_limit: number | null;
  readonly max_concurrency: number | null;
  /** The webhook's next delivery becomes due only when the outcome of this one is recorded. */
  readonly ordered: boolean;
  readonly custom_headers: Readonly<Record<string, string>>;
  /** When this attempt became due. */
  readonly next_attempt_at: string;
  /** The trace of the request that caused the event; null for background work and pings. */
  readonly traceparent: string | null;
}

/** A webhook that was disabled because of its receiver, and the e-mail address of its owner. */
export interface DisabledWebhook {
  readonly id: number;
  readonly target_url: string;
  readonly reason: string;
  readonly email: string | null;
}

/** The number of deliveries that may be leased now. */
export interface Capacity {
  readonly total: number;
  /** The limit of the slow lane. */
  readonly slow: number;
  /** The limit of each webhook that is not in `ofWebhook`. It uses the slow lane. */
  readonly each: number;
  readonly ofWebhook: ReadonlyMap<number, { readonly free: number; readonly isSlow: boolean }>;
}

/** The outcome of a leased delivery. */
export interface Outcome {
  readonly id: number;
  readonly lease: string;
  /** The number of attempts when the delivery was leased. */
  readonly attempts: number;
  /** Null if no attempt was made: the delivery is released. */
  readonly attempt: {
    readonly startedAt: Date;
    /** Milliseconds. */
    readonly duration: number;
    readonly statusCode: number | null;
    readonly response: string;
    readonly error: string | null;
    readonly details: AttemptDetails | null;
  } | null;
  readonly status: 'pending' | 'delivered' | 'failed';
  /** Set for `pending`. */
  readonly nextAttemptAt: Date | null;
  /** Whether the receiver responded that it is gone for good, which disables the webhook. */
  readonly disable: boolean;
}

/** After this many consecutive failures a webhook is paused for as long as it has been failing, within bounds. */
const PAUSE_AFTER = 20;
const SHORTEST_PAUSE = sql`interval '1 minute'`;
const LONGEST_PAUSE = sql`interval '1 hour'`;
const DAY_MS = 24 * 3600 * 1000;

/**
 * A statement that includes this CTE commits without waiting for the disk. A database crash can lose leases or results
 * of the last second, in which case the delivery is sent again with the same id. The setting is local to the
 * statement's own transaction.
 */
const ASYNC_COMMIT = sql`async_commit as materialized (select set_config('synchronous_commit', 'off', true) = 'off' as set)`;

/**
 * The webhooks with unfinished deliveries. A skip scan reads one index entry for each webhook, however large its backlog
 * is.
 */
export const WAITING = sql`waiting(webhook_id) as (
  (select webhook_id from webhook_delivery where next_attempt_at is not null order by webhook_id, next_attempt_at limit 1)
  union all
  select (select delivery.webhook_id from webhook_delivery delivery
          where delivery.next_attempt_at is not null and delivery.webhook_id > waiting.webhook_id
          order by delivery.webhook_id, delivery.next_attempt_at limit 1)
  from waiting where waiting.webhook_id is not null
)`;

/** Reads, leases and records unfinished deliveries. */
@Injectable()
@HoldsLeases()
export class DeliveryQueue implements LeaseTable {
  readonly holders = sql`select holder from webhook_lease_holder`;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly processes: LiveProcesses,
    private readonly duties: ProcessDuties,
  ) {}

  async releaseLeases(db: Db, dead: readonly number[]): Promise<void> {
    await db.query(sql`
      with released as (
        update webhook_delivery set lease = null, lease_end = null, holder = null
        where next_attempt_at is not null and holder = any(${[...dead]}::int[])
      )
      delete from webhook_lease_holder where holder = any(${[...dead]}::int[])`);
  }

  /**
   * Leases due deliveries fairly: the first of every webhook before the second of any. A leased delivery stays due, so
   * that another worker can lease it after the lease has expired. For an ordered webhook, only the oldest unfinished
   * delivery is leased. Only one process leases those of webhooks with a rate or concurrency limit, because it counts them
   * in memory.
   *
   * The statement must read deliveries in index order, even if the planner's statistics are older than a burst of
   * events and sorting looks cheaper.
   */
  async claim(db: Db, capacity: Capacity, now: Date, leaseEnd: Date): Promise<LeasedDelivery[]> {
    const lease = randomUUID();
    const mayUseLimited = await this.duties.has('webhooks with limits');
    const { holder } = this.processes;
    return db.queryInIndexOrder<LeasedDelivery>(sql`
      with recursive ${ASYNC_COMMIT}, ${WAITING}, ${openWebhooks(capacity, now, mayUseLimited)}, ${freeDeliveries(now)}, ${fairShare(capacity)},
      holding as (
        insert into webhook_lease_holder (holder)
        select ${holder}::int where ${holder}::int is not null and exists (select 1 from due)
        on conflict do nothing
      ), leased as (
        update webhook_delivery delivery set lease = ${lease}, holder = ${holder}::int,
          lease_end = ${leaseEnd}::timestamptz + make_interval(secs => 2 * coalesce(
            (select webhook.timeout from webhook where webhook.id = delivery.webhook_id), 0))
        where delivery.id = any(array(select id from due)) and (select set from async_commit)
      )
      select delivery.id, delivery.webhook_id, ${lease}::uuid as lease, delivery.message_id, delivery.attempts,
        ${payloadText('delivery')} as payload, delivery.next_attempt_at,
        webhook.target_url, webhook.content_type, webhook.secret, webhook.previous_secret, webhook.previous_secret_until,
        webhook.enable_ssl, webhook.retry_schedule, webhook.timeout, webhook.rate_limit, webhook.max_concurrency, webhook.ordered,
        webhook.custom_headers,
        (select traceparent from outbox_event where outbox_event.id = delivery.event_id) as traceparent
      from due delivery join webhook on webhook.id = delivery.webhook_id`);
  }

  /** When the next delivery becomes due, apart from those that are due already. */
  async nextDue(db: Db, now: Date): Promise<Date | null> {
    const [row] = await db.queryInIndexOrder<{ due: string | null }>(sql`
      with recursive ${WAITING}
      select min(next.next_attempt_at) as due from waiting cross join lateral (
        select next_attempt_at from webhook_delivery delivery
        where delivery.webhook_id = waiting.webhook_id and delivery.next_attempt_at > ${now}
        order by delivery.next_attempt_at limit 1) next`);
    return row?.due == null ? null : new Date(row.due);
  }

  /**
   * Records many outcomes in one statement. Ignores an outcome if its lease has expired and another worker has leased
   * or recorded the delivery since. A webhook gets the status of its newest attempted delivery. It is paused after many
   * consecutive failures, and disabled after days without a success.
   *
   * @returns the webhooks that were disabled
   */
  async record(db: Queryable, outcomes: readonly Outcome[], now: Date): Promise<DisabledWebhook[]> {
    const { switchOffDays: days } = this.config.webhooks;
    const longAgo = days === 0 ? null : new Date(now.getTime() - days * DAY_MS);
    const updated = await db.query<DisabledWebhook & { off: boolean }>(sql`
      with ${ASYNC_COMMIT}, ${outcomeRows(outcomes)}, ${recordedDeliveries(now)}, attempted as (
        insert into webhook_attempt (delivery_id, number, started_at, duration, status_code, error, details)
        select id, attempts, started_at, duration, status_code, error, details from recorded where tried
      ), newest as materialized (
        select webhook_id, max(id) as id, (array_agg(status_code order by id desc))[1] as status_code,
          bool_or(disable) as disable, bool_or(error is null) as succeeded, count(*)::int as tries,
          (array_agg(error order by id desc) filter (where error is not null))[1] as error
        from recorded where tried group by webhook_id
      ), locked as materialized (
        select webhook.id, webhook.is_active, webhook.failing_since <= ${longAgo}::timestamptz as failing_for_long from webhook
        where webhook.id in (select webhook_id from newest)
        order by webhook.id for no key update
      )
      update webhook set ${webhookState(now)}
      from newest join locked on locked.id = newest.webhook_id
      where webhook.id = newest.webhook_id
      returning webhook.id, webhook.target_url, webhook.disabled_reason as reason,
        (select email from app_user where app_user.id = webhook.owner_id) as email, locked.is_active and not webhook.is_active as off`);
    return updated.filter((webhook) => webhook.off);
  }
}

/** The limit of all webhooks in the slow lane together, or of the others. */
const limitOfLane = (isSlow: Sql, { slow, total }: Capacity): Sql =>
  sql`case when ${isSlow} then ${slow}::int else ${total}::int end`;

/** `open`: active webhooks with unfinished deliveries, their lane, and the number of deliveries that may be leased. */
function openWebhooks(capacity: Capacity, now: Date, mayUseLimited: boolean): Sql {
  const known = [...capacity.ofWebhook.values()];
  const isSlow = sql`coalesce(known.is_slow, true)`;
  return sql`open as materialized (
    select webhook.id, webhook.ordered, ${isSlow} as is_slow,
      known.webhook_id is null and webhook.failing_since is null as is_untried,
      least(coalesce(known.free, least(${capacity.each}::int, webhook.max_concurrency, webhook.rate_limit)),
        ${limitOfLane(isSlow, capacity)}) as capacity
    from waiting
    join webhook on webhook.id = waiting.webhook_id and webhook.is_active and webhook.deleted_date is null
      and (${mayUseLimited}::bool or (webhook.max_concurrency is null and webhook.rate_limit is null))
      and (webhook.paused_until is null or webhook.paused_until <= ${now})
    left join unnest(${[...capacity.ofWebhook.keys()]}::int[], ${known.map(({ free }) => free)}::int[],
        ${known.map(({ isSlow }) => isSlow)}::bool[])
      as known(webhook_id, free, is_slow) on known.webhook_id = waiting.webhook_id
  )`;
}

/**
 * `free`: due deliveries without a lease, up to the capacity of each open webhook. Two workers cannot lease the same
 * delivery, because `skip locked` locks the row and the lease is checked on the locked row.
 */
function freeDeliveries(now: Date): Sql {
  const due = sql`
    select delivery.id, delivery.next_attempt_at, delivery.message_id, delivery.payload, delivery.payload_id, delivery.attempts,
      delivery.event_id
    from webhook_delivery delivery
    where delivery.webhook_id = open.id and delivery.next_attempt_at <= ${now}
      and (delivery.lease_end is null or delivery.lease_end <= ${now})`;
  return sql`first as materialized (
    select found.*, open.id as webhook_id, open.is_slow, open.is_untried from open cross join lateral (
      ${due} and delivery.id = (
        select id from webhook_delivery where webhook_id = open.id and next_attempt_at is not null order by id limit 1)
      for update skip locked
    ) found
    where open.ordered and open.capacity > 0
  ), free as materialized (
    select * from first
    union all
    select found.*, open.id as webhook_id, open.is_slow, open.is_untried from open cross join lateral (
      ${due} order by delivery.next_attempt_at, delivery.id limit open.capacity for update skip locked
    ) found
    where not open.ordered
  )`;
}

/**
 * `due`: the deliveries to lease, taking turns between webhooks, up to the limits of the slow lane and of all. Untried
 * webhooks come first in the slow lane, and of these the newest: the earlier ones may hang.
 */
function fairShare(capacity: Capacity): Sql {
  return sql`in_turns as (
    select *, row_number() over (partition by webhook_id order by next_attempt_at, id) as turn from free
  ), ranked as (
    select *, row_number() over (partition by is_slow
      order by turn, case when is_untried then next_attempt_at end desc nulls last, next_attempt_at) as place
    from in_turns
  ), due as materialized (
    select * from ranked where place <= ${limitOfLane(sql`is_slow`, capacity)}
    order by turn, next_attempt_at limit ${capacity.total}
  )`;
}

/** `outcome`: the outcomes as rows. */
function outcomeRows(outcomes: readonly Outcome[]): Sql {
  return sql`outcome as materialized (
    select *, nullif(details_json, 'null')::json as details from rows from (
      json_to_recordset(${JSON.stringify(outcomes.map(toRow))}::json) as (id bigint, lease uuid, attempts int, status text,
        next_attempt_at timestamptz, disable boolean, tried boolean, started_at timestamptz, duration int, status_code int,
        response text, error text),
      unnest(${jsonLines(outcomes.map(({ attempt }) => JSON.stringify(attempt?.details ?? null)))})
    ) as outcome(id, lease, attempts, status, next_attempt_at, disable, tried, started_at, duration, status_code, response,
      error, details_json)
  )`;
}

/** `recorded`: updates the deliveries that still have the lease of the outcome, or none. */
function recordedDeliveries(now: Date): Sql {
  const ifAttempted = (column: string, value: Sql): Sql =>
    sql`${raw(column)} = case when outcome.tried then ${value} else delivery.${raw(column)} end`;
  return sql`recorded as (
    update webhook_delivery delivery
    set status = outcome.status, next_attempt_at = outcome.next_attempt_at, lease = null, lease_end = null, holder = null,
      attempts = delivery.attempts + outcome.tried::int, ${ifAttempted('status_code', sql`outcome.status_code`)},
      ${ifAttempted('response', sql`outcome.response`)}, ${ifAttempted('request_duration', sql`outcome.duration`)},
      ${ifAttempted('updated_date', sql`${now}`)}
    from outcome
    where delivery.id = outcome.id and delivery.attempts = outcome.attempts and delivery.status = 'pending'
      and (delivery.lease is null or delivery.lease = outcome.lease)
      and (select set from async_commit)
    returning delivery.id, delivery.webhook_id, delivery.attempts, outcome.disable, outcome.tried, outcome.started_at,
      outcome.duration, outcome.status_code, outcome.error, outcome.details
  )`;
}

/** Assignments that update a webhook from its `newest` attempts. */
function webhookState(now: Date): Sql {
  const failures = sql`webhook.failures + newest.tries`;
  const failingSince = sql`coalesce(webhook.failing_since, ${now})`;
  const ifNewest = (column: string, value: Sql): Sql =>
    sql`${raw(column)} = case when newest.id >= coalesce(webhook.last_delivery_id, 0) then ${value} else webhook.${raw(column)} end`;
  return sql`
    is_active = webhook.is_active and not newest.disable and (newest.succeeded or not coalesce(locked.failing_for_long, false)),
    disabled_reason = case
      when not webhook.is_active then webhook.disabled_reason
      when newest.disable then newest.error
      when not newest.succeeded and locked.failing_for_long
        then 'Nothing has been delivered since ' || to_char(webhook.failing_since at time zone 'UTC', 'YYYY-MM-DD HH24:MI')
          || ' UTC. The last problem: ' || newest.error
      else webhook.disabled_reason end,
    failures = case when newest.succeeded then 0 else least(${failures}, 1000000) end,
    failing_since = case when newest.succeeded then null else ${failingSince} end,
    paused_until = case
      when newest.succeeded or ${failures} < ${PAUSE_AFTER} then null
      else ${now}::timestamptz + greatest(${SHORTEST_PAUSE}, least(${LONGEST_PAUSE}, ${now} - ${failingSince})) end,
    ${ifNewest('last_status', sql`newest.status_code`)}, ${ifNewest('last_delivery_date', sql`${now}`)},
    last_delivery_id = greatest(webhook.last_delivery_id, newest.id)`;
}

/** A row of the JSON parameter. One parameter is faster than twelve arrays, as long as its values are short. */
const toRow = ({ id, lease, attempts, attempt, status, nextAttemptAt, disable }: Outcome): object => ({
  id,
  lease,
  attempts,
  status,
  next_attempt_at: nextAttemptAt,
  disable,
  tried: attempt !== null,
  started_at: attempt?.startedAt,
  duration: attempt?.duration,
  status_code: attempt?.statusCode,
  response: attempt?.response ?? '',
  error: attempt?.error,
});
