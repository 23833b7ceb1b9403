import { randomUUID } from 'node:crypto';
import { UnitOfWork } from '../../../src/core/database/unit-of-work.js';
import { type Sql, sql } from '../../../src/engines/sql/sql.js';
import { type Capacity, DeliveryQueue } from '../../../src/modules/webhooks/delivery/delivery.queue.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import type { TestApp } from '../../support/app.js';

/** The columns of a delivery that tests check. */
export interface Delivery {
  readonly id: number;
  readonly webhook_id: number;
  readonly status: string;
  readonly attempts: number;
  readonly status_code: number | null;
  readonly next_attempt_at: string | null;
  readonly response: string;
}

/** Capacity for `total` deliveries, and for `each` per webhook. */
export const capacityFor = (total: number, each: number, ofWebhook: Capacity['ofWebhook'] = new Map()): Capacity => ({
  total,
  slow: total,
  each,
  ofWebhook,
});

/** The webhook providers of an application, without HTTP. */
export class Workplace {
  readonly worker: DeliveryWorker;
  readonly queue: DeliveryQueue;
  readonly work: UnitOfWork;

  constructor(readonly app: TestApp) {
    this.worker = app.app.get(DeliveryWorker);
    this.queue = app.app.get(DeliveryQueue);
    this.work = app.app.get(UnitOfWork);
  }

  query<T>(statement: Sql): Promise<T[]> {
    return this.app.db.query<T>(statement);
  }

  /** Deletes everything created so far. */
  async clear(): Promise<void> {
    await this.query(
      sql`truncate webhook, webhook_delivery, webhook_payload, webhook_attempt, outbox_event, outbox_pending, outbox_order`,
    );
  }

  /** Sets the clock, which stands still. */
  setClock(text: string): void {
    const now = new Date(text);
    this.app.clock.now = () => now;
  }

  async project(): Promise<number> {
    const [row] = await this.query<{ id: number }>(sql`
      insert into project (name, created_date, updated_date) values ('p', now(), now()) returning id`);
    return row?.id ?? 0;
  }

  /** A webhook of a project, subscribed to `update:task`. */
  async webhook(url: string, projectId: number): Promise<number> {
    const now = this.app.clock.now();
    const [row] = await this.query<{ id: number }>(sql`
      insert into webhook (target_url, type, active_since, api_version, project_id, events, created_date, updated_date)
      values (${url}, 'project', ${now}, '2.1', ${projectId}, '{update:task}', ${now}, ${now}) returning id`);
    return row?.id ?? 0;
  }

  /** Due deliveries with payloads `{"number":1}`, …. */
  async pending(webhookId: number, count: number): Promise<void> {
    const now = this.app.clock.now();
    await this.query(sql`
      insert into webhook_delivery (webhook_id, event, message_id, payload, status, next_attempt_at, created_date, updated_date)
      select ${webhookId}::int, 'update:task', gen_random_uuid(), '{"number":' || number || '}', 'pending', ${now}::timestamptz,
        ${now}, ${now}
      from generate_series(1, ${count}::int) number`);
  }

  deliveries(): Promise<Delivery[]> {
    return this.query<Delivery>(sql`select * from webhook_delivery order by id`);
  }

  /** Numbers and errors of the attempts, oldest first. */
  attempts(): Promise<{ delivery_id: number; number: number; status_code: number | null; error: string | null }[]> {
    return this.query(sql`
      select delivery_id, number, status_code, error from webhook_attempt order by delivery_id, number`);
  }

  async lastStatus(webhookId: number): Promise<number | null | undefined> {
    const [row] = await this.query<{ last_status: number | null }>(
      sql`select last_status from webhook where id = ${webhookId}`,
    );
    return row?.last_status;
  }
}

/** A stored event of a task. */
export const taskEvent = (id: number, projectId: number, occurredAt: string) => ({
  id,
  name: 'update:task',
  objectId: '1',
  sender: null,
  organizationId: null,
  projectId,
  occurredAt,
  after: { object: { id: 1, name: randomUUID() } },
  before: { object: { id: 1, name: 'old' } },
});
