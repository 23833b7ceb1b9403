import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { bool, choice, integer, type ListSpec, text, timestamp } from '../../../core/list/list-spec.js';
import type { StoredEvent } from '../../../core/events/event-map.js';
import { storedColumns, type StoredEventRow, toStoredEvent } from '../../../core/events/stored-event.js';
import { unhandledBy } from '../../../core/events/unhandled.js';
import type { ApiVersion } from '../../../core/versioning/accept.js';
import { raw, sql } from '../../../engines/sql/sql.js';
import type { AttemptDetails } from '../delivery/webhook-sender.js';
import { payloadText } from '../dispatch/payload-text.js';
import { WEBHOOKS_LISTENER } from '../dispatch/webhook-dispatcher.js';
import type { AttemptRow, DeliveryRow } from './delivery.dto.js';

export const DELIVERY_COLUMNS = sql`webhook_delivery.id, webhook_delivery.webhook_id, webhook_delivery.event,
  webhook_delivery.status_code, webhook_delivery.redelivery, webhook_delivery.attempts, webhook_delivery.request_duration,
  webhook_delivery.created_date, webhook_delivery.updated_date, webhook_delivery.changed_fields, ${payloadText('webhook_delivery')} as payload,
  webhook_delivery.response, (select attempt.error from webhook_attempt attempt
    where attempt.delivery_id = webhook_delivery.id order by attempt.number desc limit 1) as error`;

/** The status in the API: a pending delivery that is being sent is `leased`. */
export const DELIVERY_STATUS = sql`(case when webhook_delivery.status = 'pending' and webhook_delivery.lease_end > now()
  then 'leased' else webhook_delivery.status end)`;

/** The delivery was attempted or abandoned. */
const HAS_OUTCOME = sql`(webhook_delivery.attempts > 0 or webhook_delivery.status <> 'pending')`;

/**
 * CVAT's list supports paging only. Version 2.2 lists a delivery as soon as it exists, older versions once it has an
 * outcome.
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

/** A delivery that is sent immediately: a ping or a sample. */
export interface Ping {
  readonly webhookId: number;
  /** `ping`, or the event name of a sample. */
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

/** Reads and writes the delivery log, and queues redeliveries. */
@Injectable()
export class DeliveryRepository {
  /** @param version API version; older versions hide pending deliveries, as their lists do */
  async find(db: Queryable, webhookId: number, id: number, version?: ApiVersion): Promise<DeliveryRow | undefined> {
    const shown = version === '2.0' || version === '2.1' ? HAS_OUTCOME : sql`true`;
    const [row] = await db.query<DeliveryRow>(sql`
      select ${DELIVERY_COLUMNS} from webhook_delivery where id = ${id} and webhook_id = ${webhookId} and ${shown}`);
    return row;
  }

  /** Oldest first. */
  attempts(db: Queryable, id: number): Promise<AttemptRow[]> {
    return db.query<AttemptRow>(sql`
      select number, started_at, duration, status_code, error, details from webhook_attempt
      where delivery_id = ${id} order by number`);
  }

  /** Records a ping with its only attempt, and updates the webhook's last status. */
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

  /** Returns those of the given ids that are deliveries of the webhook. */
  async known(tx: Tx, webhookId: number, ids: readonly number[]): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(sql`
      select id from webhook_delivery where webhook_id = ${webhookId} and id = any(${[...ids]}::bigint[]) order by id`);
    return rows.map((row) => row.id);
  }

  /** Ids of the first deliveries of events created since a time, oldest first, without pings. */
  async since(
    tx: Tx,
    webhookId: number,
    since: Date,
    after: number,
    onlyFailed: boolean,
    limit: number,
  ): Promise<number[]> {
    const failed = sql`delivery.status = 'failed' and not exists (
      select 1 from webhook_delivery other where other.webhook_id = delivery.webhook_id
        and other.message_id = delivery.message_id and other.status <> 'failed')`;
    const rows = await tx.query<{ id: number }>(sql`
      select delivery.id from webhook_delivery delivery
      where delivery.webhook_id = ${webhookId} and delivery.id > ${after} and delivery.created_date >= ${since}
        and not delivery.redelivery and delivery.event_id is not null and ${onlyFailed ? failed : raw('true')}
      order by delivery.id limit ${limit}`);
    return rows.map((row) => row.id);
  }

  /**
   * Queues the same payloads again, in the order of the deliveries, `gap` seconds apart. Locks the deliveries so that a
   * payload is not deleted meanwhile with the last of them.
   * @returns the number of queued deliveries
   */
  async repeat(tx: Tx, webhookId: number, ids: readonly number[], now: Date, gap = 0): Promise<number> {
    const rows = await tx.query(sql`
      with original as materialized (
        select * from webhook_delivery where webhook_id = ${webhookId} and id = any(${[...ids]}::bigint[])
        order by id for key share
      )
      insert into webhook_delivery (webhook_id, event_id, event, message_id, payload, payload_id, changed_fields, redelivery,
        status, next_attempt_at, created_date, updated_date)
      select webhook_id, event_id, event, message_id, payload, payload_id, changed_fields, true, 'pending',
        ${now}::timestamptz + make_interval(secs => ${gap}::float8 * (row_number() over (order by id) - 1)), ${now}, ${now}
      from original order by id returning id`);
    return rows.length;
  }

  /** Dispatched events since a time for which the webhook has no delivery, oldest first. */
  async missing(
    tx: Tx,
    webhook: {
      readonly id: number;
      readonly api_version: ApiVersion;
      readonly events: readonly string[];
      readonly project_id: number | null;
      readonly organization_id: number | null;
    },
    since: Date,
    after: number,
    limit: number,
  ): Promise<StoredEvent[]> {
    const ofOrganization =
      webhook.organization_id === null ? raw('true') : sql`event.organization_id = ${webhook.organization_id}`;
    const inScope = webhook.project_id === null ? ofOrganization : sql`event.project_id = ${webhook.project_id}`;
    const rows = await tx.query<StoredEventRow>(sql`
      select ${storedColumns(webhook.api_version)} from outbox_event event
      where ${inScope} and event.id > ${after} and event.occurred_at >= ${since}
        and not exists (select 1 from (${unhandledBy(WEBHOOKS_LISTENER)}) unhandled where unhandled.event_id = event.id)
        and event.name = any(${[...webhook.events]}::text[])
        and not exists (select 1 from webhook_delivery delivery
          where delivery.webhook_id = ${webhook.id} and delivery.event_id = event.id)
        and not exists (select 1 from webhook_delivery batch
          where batch.webhook_id = ${webhook.id} and batch.batch_key = event.name || ' ' || event.object_id
            and event.id = any(batch.merged_events))
      order by event.id limit ${limit}`);
    return rows.map(toStoredEvent);
  }

  /** Schedules the new deliveries of events `gap` seconds apart. */
  async space(tx: Tx, webhookId: number, eventIds: readonly number[], now: Date, gap: number): Promise<void> {
    await tx.query(sql`
      with numbered as (
        select id, row_number() over (order by event_id) - 1 as index from webhook_delivery
        where webhook_id = ${webhookId} and event_id = any(${[...eventIds]}::bigint[]) and not redelivery
      )
      update webhook_delivery set next_attempt_at = ${now}::timestamptz + make_interval(secs => ${gap}::float8 * numbered.index)
      from numbered where webhook_delivery.id = numbered.id and webhook_delivery.status = 'pending'`);
  }
}
