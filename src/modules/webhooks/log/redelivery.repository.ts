import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import type { StoredEvent } from '../../../core/events/event-map.js';
import { storedColumns, type StoredEventRow, toStoredEvent } from '../../../core/events/stored-event.js';
import type { ApiVersion } from '../../../core/versioning/accept.js';
import { raw, sql } from '../../../engines/sql/sql.js';

/** What is sent again, or for the first time. */
@Injectable()
export class RedeliveryRepository {
  /** Of the given deliveries those that are the webhook's. */
  async known(tx: Tx, webhookId: number, ids: readonly number[]): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(sql`
      select id from webhook_delivery where webhook_id = ${webhookId} and id = any(${[...ids]}::bigint[]) order by id`);
    return rows.map((row) => row.id);
  }

  /** First deliveries of events since a moment, the oldest first; no pings. */
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

  /** The same bytes once more, in the order of the deliveries, `gap` seconds apart. */
  async repeat(tx: Tx, ids: readonly number[], now: Date, gap: number): Promise<void> {
    await tx.query(sql`
      insert into webhook_delivery (webhook_id, event_id, event, message_id, payload, changed_fields, redelivery, status,
        next_attempt_at, created_date, updated_date)
      select webhook_id, event_id, event, message_id, payload, changed_fields, true, 'pending',
        ${now}::timestamptz + make_interval(secs => ${gap}::float8 * (row_number() over (order by id) - 1)), ${now}, ${now}
      from webhook_delivery where id = any(${[...ids]}::bigint[]) order by id`);
  }

  /** Dispatched events since a moment that the webhook has no delivery of, the oldest first. */
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
    const place = webhook.project_id === null ? ofOrganization : sql`event.project_id = ${webhook.project_id}`;
    const rows = await tx.query<StoredEventRow>(sql`
      select ${storedColumns(webhook.api_version)} from outbox_event event
      where ${place} and event.id > ${after} and event.occurred_at >= ${since} 
        and not exists (select 1 from outbox_pending where event_id = event.id)
        and event.name = any(${[...webhook.events]}::text[])
        and not exists (select 1 from webhook_delivery delivery
          where delivery.webhook_id = ${webhook.id} and delivery.event_id = event.id)
        and not exists (select 1 from webhook_delivery batch
          where batch.webhook_id = ${webhook.id} and batch.batch_key = event.name || ' ' || event.object_id
            and event.id = any(batch.merged_events))
      order by event.id limit ${limit}`);
    return rows.map(toStoredEvent);
  }

  /** Puts fresh deliveries of events `gap` seconds apart. */
  async space(tx: Tx, webhookId: number, eventIds: readonly number[], now: Date, gap: number): Promise<void> {
    await tx.query(sql`
      with placed as (
        select id, row_number() over (order by event_id) - 1 as place from webhook_delivery
        where webhook_id = ${webhookId} and event_id = any(${[...eventIds]}::bigint[]) and not redelivery
      )
      update webhook_delivery set next_attempt_at = ${now}::timestamptz + make_interval(secs => ${gap}::float8 * placed.place)
      from placed where webhook_delivery.id = placed.id and webhook_delivery.status = 'pending'`);
  }
}
