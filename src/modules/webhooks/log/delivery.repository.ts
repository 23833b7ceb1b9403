import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { jsonLines, sql } from '../../../engines/sql/sql.js';
import type { Subscriber } from '../dispatch/matching.js';
import type { AttemptDetails } from '../delivery/webhook-sender.js';
import type { AttemptRow, DeliveryRow } from './delivery.mapper.js';
import { PAYLOAD_TAIL } from '../dispatch/payload.js';
import { bool, choice, integer, type ListSpec, text, timestamp } from '../../../core/list/list-spec.js';

export const DELIVERY_COLUMNS = sql`webhook_delivery.id, webhook_delivery.webhook_id, webhook_delivery.event,
  webhook_delivery.status_code, webhook_delivery.redelivery, webhook_delivery.attempts, webhook_delivery.request_duration,
  webhook_delivery.created_date, webhook_delivery.updated_date, webhook_delivery.changed_fields, webhook_delivery.payload,
  webhook_delivery.response, (select attempt.error from webhook_attempt attempt
    where attempt.delivery_id = webhook_delivery.id order by attempt.number desc limit 1) as error`;

/** One event for one webhook. */
export interface NewDelivery {
  readonly webhookId: number;
  readonly eventId: number;
  readonly event: string;
  /** Index of its payload among the heads. */
  readonly head: number;
  readonly changedFields: string;
  /** Null: it is no batch. */
  readonly batchKey: string | null;
  /** Seconds until it is due. */
  readonly wait: number;
  /** Further events that it tells of. */
  readonly merged: readonly number[];
}

/** A ping that has been made. */
export interface Ping {
  readonly webhookId: number;
  /** `ping`, or that of a sample. */
  readonly event: string;
  readonly messageId: string;
  readonly payload: string;
  readonly startedAt: Date;
  readonly duration: number;
  readonly statusCode: number | null;
  readonly response: string;
  readonly error: string | null;
  readonly details: AttemptDetails | null;
}

@Injectable()
export class DeliveryRepository {
  /** Webhooks that are on and belong to one of the places, or to the server. */
  subscriptions(
    tx: Tx,
    organizationIds: readonly number[],
    projectIds: readonly number[],
    events: readonly string[],
  ): Promise<Subscriber[]> {
    return tx.query<Subscriber>(sql`
      select webhook.id, webhook.type, webhook.project_id, webhook.organization_id, webhook.events, webhook.api_version,
        webhook.active_since, organization.id is not null as organization_exists, webhook.ordered, webhook.filter,
        webhook.payload, webhook.batch_window
      from webhook left join organization on organization.id = webhook.organization_id
      where webhook.is_active and webhook.deleted_date is null and webhook.events && ${[...events]}::text[]
        and (webhook.type = 'server' or webhook.project_id = any(${[...projectIds]}::int[])
          or (webhook.project_id is null and webhook.organization_id = any(${[...organizationIds]}::int[])))
      order by webhook.id`);
  }

  /** New deliveries, in one statement; one that is there already stays as it is. */
  async insert(tx: Tx, heads: readonly string[], deliveries: readonly NewDelivery[], now: Date): Promise<void> {
    await tx.query(sql`
      insert into webhook_delivery (webhook_id, event_id, event, message_id, payload, changed_fields, status, next_attempt_at,
        created_date, updated_date, batch_key, merged_events)
      select fresh.webhook_id, fresh.event_id, fresh.event, gen_random_uuid(),
        head.text || ${PAYLOAD_TAIL.before}::text || fresh.webhook_id || ${PAYLOAD_TAIL.after}::text, fresh.changed_fields,
        'pending', ${now}::timestamptz + make_interval(secs => fresh.wait), ${now}, ${now}, fresh.batch_key, fresh.merged::bigint[]
      from unnest(${deliveries.map((delivery) => delivery.webhookId)}::int[],
          ${deliveries.map((delivery) => delivery.eventId)}::bigint[], ${deliveries.map((delivery) => delivery.event)}::text[],
          ${deliveries.map((delivery) => delivery.head + 1)}::bigint[],
          ${deliveries.map((delivery) => delivery.changedFields)}::text[],
          ${deliveries.map((delivery) => delivery.batchKey)}::text[], ${deliveries.map((delivery) => delivery.wait)}::int[],
          ${deliveries.map((delivery) => `{${delivery.merged.join(',')}}`)}::text[])
        with ordinality as fresh(webhook_id, event_id, event, head, changed_fields, batch_key, wait, merged, place)
      join unnest(${jsonLines(heads)}) with ordinality as head(text, number)
        on head.number = fresh.head
      order by fresh.place
      on conflict (webhook_id, event_id) where event_id is not null and not redelivery do nothing`);
  }

  async find(db: Queryable, webhookId: number, id: number): Promise<DeliveryRow | undefined> {
    const [row] = await db.query<DeliveryRow>(sql`
      select ${DELIVERY_COLUMNS} from webhook_delivery where id = ${id} and webhook_id = ${webhookId}`);
    return row;
  }

  /** Oldest first. */
  attempts(db: Queryable, id: number): Promise<AttemptRow[]> {
    return db.query<AttemptRow>(sql`
      select number, started_at, duration, status_code, error, details from webhook_attempt
      where delivery_id = ${id} order by number`);
  }

  /** The same bytes once more, at once. @returns false when there is no such delivery */
  async repeat(tx: Tx, webhookId: number, id: number, now: Date): Promise<boolean> {
    const rows = await tx.query(sql`
      insert into webhook_delivery (webhook_id, event_id, event, message_id, payload, changed_fields, redelivery, status,
        next_attempt_at, created_date, updated_date)
      select webhook_id, event_id, event, message_id, payload, changed_fields, true, 'pending', ${now}, ${now}, ${now}
      from webhook_delivery where id = ${id} and webhook_id = ${webhookId} returning id`);
    return rows.length > 0;
  }

  /** Records a ping with its only attempt, and shows it at the webhook. */
  async insertPing(tx: Tx, ping: Ping, now: Date): Promise<DeliveryRow> {
    const failed = ping.error !== null;
    const [row] = await tx.query<DeliveryRow>(sql`
      insert into webhook_delivery (webhook_id, event, message_id, payload, status, attempts, status_code, response,
        request_duration, created_date, updated_date)
      values (${ping.webhookId}, ${ping.event}, ${ping.messageId}, ${ping.payload}, ${failed ? 'failed' : 'delivered'}, 1,
        ${ping.statusCode}, ${ping.response}, ${ping.duration}, ${ping.startedAt}, ${now})
      returning ${DELIVERY_COLUMNS}`);
    if (row === undefined) throw new Error('The ping could not be recorded');
    await tx.query(sql`
      insert into webhook_attempt (delivery_id, number, started_at, duration, status_code, error, details)
      values (${row.id}, 1, ${ping.startedAt}, ${ping.duration}, ${ping.statusCode}, ${ping.error},
        ${ping.details === null ? null : JSON.stringify(ping.details)}::json)`);
    await tx.query(sql`
      update webhook set last_delivery_id = ${row.id}, last_status = ${ping.statusCode}, last_delivery_date = ${now}
      where id = ${ping.webhookId} and coalesce(last_delivery_id, 0) < ${row.id}`);
    return { ...row, error: ping.error };
  }
}

/** A pending delivery that is being sent is called leased. */
export const DELIVERY_STATUS = sql`(case when webhook_delivery.status = 'pending' and exists (
  select 1 from webhook_lease where webhook_lease.delivery_id = webhook_delivery.id and webhook_lease.ends_at > now())
  then 'leased' else webhook_delivery.status end)`;

/** There is something to tell: it was tried, or given up. */
const HAS_OUTCOME = sql`(webhook_delivery.attempts > 0 or webhook_delivery.status <> 'pending')`;

/**
 * Beyond the contract, whose lists of deliveries can only be paged. Version 2.2 lists a delivery as soon as it exists; what
 * older clients are shown always has an outcome.
 */
export const deliveryList: ListSpec = {
  from: sql`webhook_delivery`,
  fields: {
    id: integer('webhook_delivery.id'),
    event: text('webhook_delivery.event'),
    status: choice(DELIVERY_STATUS, ['pending', 'leased', 'delivered', 'failed']),
    status_code: integer('webhook_delivery.status_code'),
    redelivery: bool('webhook_delivery.redelivery'),
    created_date: timestamp('webhook_delivery.created_date'),
    updated_date: timestamp('webhook_delivery.updated_date'),
  },
  search: [],
  simple: ['event', 'status', 'status_code'],
  defaultSort: '-updated_date,-id',
  older: { '2.0': HAS_OUTCOME, '2.1': HAS_OUTCOME },
};
