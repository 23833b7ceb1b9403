import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import { jsonLines, sql } from '../../../engines/sql/sql.js';
import type { Draft, OpenBatch } from './batches.js';
import type { Subscriber } from './matching.js';
import { payloadText, textFor } from './payload-text.js';

/** One event for one webhook. */
export interface NewDelivery {
  readonly webhookId: number;
  readonly eventId: number;
  readonly event: string;
  /** Index of its payload among the shared heads. */
  readonly head: number;
  readonly changedFields: string;
  /** Null: not a batch. */
  readonly batchKey: string | null;
  /** Seconds until it is due. */
  readonly wait: number;
  /** Further events that the payload covers. */
  readonly merged: readonly number[];
}

/** Database access of the dispatcher. */
@Injectable()
export class DispatchRepository {
  /** Active webhooks of the organizations, of the projects and of the server that subscribe to any of the events. */
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

  /** Whether any webhook could receive the events that come next. */
  async isAnyEnabled(tx: Tx): Promise<boolean> {
    const found = await tx.query(sql`select 1 from webhook where is_active and deleted_date is null limit 1`);
    return found.length > 0;
  }

  /**
   * Inserts deliveries and their payloads in one statement. Existing deliveries are not changed.
   * @param heads payloads without their last key, each stored once for all the deliveries that refer to it
   */
  async insert(tx: Tx, heads: readonly string[], deliveries: readonly NewDelivery[], now: Date): Promise<void> {
    await tx.query(sql`
      with head as materialized (
        select nextval('webhook_payload_id_seq') as id, text, number
        from unnest(${jsonLines(heads)}) with ordinality as head(text, number)
      ), made as (
        insert into webhook_delivery (webhook_id, event_id, event, message_id, payload_id, changed_fields, status,
          next_attempt_at, created_date, updated_date, batch_key, merged_events)
        select fresh.webhook_id, fresh.event_id, fresh.event, gen_random_uuid(), head.id, fresh.changed_fields, 'pending',
          ${now}::timestamptz + make_interval(secs => fresh.wait), ${now}, ${now}, fresh.batch_key, fresh.merged::bigint[]
        from unnest(${deliveries.map((delivery) => delivery.webhookId)}::int[],
            ${deliveries.map((delivery) => delivery.eventId)}::bigint[], ${deliveries.map((delivery) => delivery.event)}::text[],
            ${deliveries.map((delivery) => delivery.head + 1)}::bigint[],
            ${deliveries.map((delivery) => delivery.changedFields)}::text[],
            ${deliveries.map((delivery) => delivery.batchKey)}::text[], ${deliveries.map((delivery) => delivery.wait)}::int[],
            ${deliveries.map((delivery) => `{${delivery.merged.join(',')}}`)}::text[])
          with ordinality as fresh(webhook_id, event_id, event, head, changed_fields, batch_key, wait, merged, index)
        join head on head.number = fresh.head
        order by fresh.index
        on conflict (webhook_id, event_id) where event_id is not null and not redelivery do nothing
        returning payload_id
      )
      insert into webhook_payload (id, head) select id, text from head where id in (select payload_id from made)`);
  }

  /**
   * Batches whose window has not ended. They are locked: nobody leases or changes them until the transaction ends.
   *
   * @param webhookIds webhooks whose batches with these keys are returned
   * @param orderedIds webhooks whose batches are all returned
   */
  openBatches(
    tx: Tx,
    webhookIds: readonly number[],
    keys: readonly string[],
    orderedIds: readonly number[],
    now: Date,
  ): Promise<OpenBatch[]> {
    return tx.query<OpenBatch>(sql`
      select id, webhook_id, batch_key, ${payloadText('webhook_delivery')} as payload, changed_fields, merged_events from webhook_delivery
      where batch_key is not null and status = 'pending' and attempts = 0 and next_attempt_at > ${now} and not redelivery
        and (lease_end is null or lease_end <= ${now})
        and ((webhook_id = any(${[...webhookIds]}::int[]) and batch_key = any(${[...keys]}::text[]))
          or webhook_id = any(${[...orderedIds]}::int[]))
      order by id for update`);
  }

  /** Stores merged pending batches, which from then on have payloads of their own, and releases some. */
  async writeBatches(tx: Tx, drafts: readonly Draft[], now: Date): Promise<void> {
    const payloads = drafts.map(({ webhookId, head }) => textFor(webhookId, head));
    await tx.query(sql`
      with fresh as materialized (
        select * from unnest(${drafts.map((draft) => draft.id)}::bigint[], ${payloads}::text[],
          ${drafts.map((draft) => draft.changedFields)}::text[], ${drafts.map((draft) => `{${draft.merged.join(',')}}`)}::text[],
          ${drafts.map((draft) => draft.released)}::boolean[]) as fresh(id, payload, changed_fields, merged, released)
      ), shared as materialized (
        select payload_id from webhook_delivery where id = any(array(select id from fresh)) and payload_id is not null
      ), unshared as (
        delete from webhook_payload where id = any(array(select payload_id from shared)) and not exists (
          select 1 from webhook_delivery where payload_id = webhook_payload.id and id not in (select id from fresh))
      )
      update webhook_delivery set payload = fresh.payload, payload_id = null, changed_fields = fresh.changed_fields,
        merged_events = fresh.merged::bigint[],
        next_attempt_at = case when fresh.released then ${now} else webhook_delivery.next_attempt_at end
      from fresh where webhook_delivery.id = fresh.id`);
  }
}
