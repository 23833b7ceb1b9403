import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import type { StoredEvent } from '../../../core/outbox/event-map.js';
import { storedColumns, type StoredEventRow, toStoredEvent } from '../../../core/outbox/stored-event.js';
import { type Sql, raw, sql } from '../../../engines/sql/sql.js';
import type { ExplainedDeliveryDto } from './explanation.dto.js';
import { DELIVERY_STATUS } from '../subscriptions/webhook.list.js';
import type { WebhookRow } from '../subscriptions/webhook.mapper.js';

/** So many of the newest events of a place are looked through. */
const SEARCHED = 100_000;

/** What the explanation of a webhook asks the database. */
@Injectable()
export class ExplanationRepository {
  /** The newest event of a name in the webhook's place, of an object if one is named. */
  async newestEvent(
    db: Queryable,
    webhook: WebhookRow,
    event: string,
    object: string | null,
  ): Promise<StoredEvent | null> {
    const [row] = await db.query<StoredEventRow>(sql`
      select ${storedColumns(webhook.api_version)} from outbox_event event where event.id = (
        select id from (
          select id, name, object_id from outbox_event where ${placeOf(webhook)} order by id desc limit ${SEARCHED}
        ) newest
        where name = ${event} and (${object}::text is null or object_id = ${object}) order by id desc limit 1)`);
    return row === undefined ? null : toStoredEvent(row);
  }

  async activeSince(db: Queryable, webhookId: number): Promise<string> {
    const [row] = await db.query<{ active_since: string }>(
      sql`select active_since from webhook where id = ${webhookId}`,
    );
    return row?.active_since ?? '';
  }

  /** The last delivery that tells of an event. */
  async deliveryOf(
    db: Queryable,
    webhookId: number,
    event: StoredEvent,
    key: string,
  ): Promise<ExplainedDeliveryDto | null> {
    const [row] = await db.query<ExplainedDeliveryDto>(sql`
      select id, ${DELIVERY_STATUS} as status, status_code, created_date, next_attempt_at from webhook_delivery
      where id = greatest(
        (select max(id) from webhook_delivery where webhook_id = ${webhookId} and event_id = ${event.id}),
        (select max(id) from webhook_delivery where webhook_id = ${webhookId} and batch_key = ${key}
          and ${event.id}::bigint = any(merged_events)))`);
    return row ?? null;
  }

  async oldestUnfinished(
    db: Queryable,
    webhookId: number,
  ): Promise<{ readonly id: number; readonly created_date: string } | null> {
    const [row] = await db.query<{ id: number; created_date: string }>(sql`
      select id, created_date from webhook_delivery where webhook_id = ${webhookId} and next_attempt_at is not null
      order by id limit 1`);
    return row ?? null;
  }
}

function placeOf({ type, project_id: project, organization_id: organization }: WebhookRow): Sql {
  if (type === 'server') return raw('true');
  return type === 'project' ? sql`project_id = ${project}` : sql`organization_id = ${organization}`;
}
