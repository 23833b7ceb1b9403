import { sql } from '../../../src/engines/sql/sql.js';
import { listening } from '../../support/listening-extension.js';
import type { TestApp } from '../../support/app.js';

export const PEBBLE = 'create:pebble';

/** The outbox of an application, without the resources that fill it. */
export class Outbox {
  constructor(private readonly app: TestApp) {}

  /** Removes everything, and what the listeners of the extension do. */
  async clear(): Promise<void> {
    listening.each = () => undefined;
    listening.batch = () => undefined;
    await this.app.db.query(sql`
      truncate outbox_event, outbox_pending, outbox_order, outbox_listener, outbox_quarantine, webhook, webhook_delivery`);
  }

  /** Commits an event for each object id. @returns their ids */
  async add(objectIds: readonly string[], name = PEBBLE): Promise<number[]> {
    const rows = await this.app.db.query<{ id: number }>(sql`
      with written as (
        insert into outbox_event (name, object_id, after, occurred_at)
        select ${name}, object_id, '{"object":{"id":1}}', ${this.app.clock.now()}
        from unnest(${[...objectIds]}::text[]) with ordinality as object(object_id, number) order by number
        returning id
      ), pending as (insert into outbox_pending select id from written)
      select id from written order by id`);
    return rows.map(({ id }) => id);
  }

  quarantine(): Promise<{ listener: string; event_id: number; error: string; attempts: number }[]> {
    return this.app.db.query(sql`select listener, event_id, error, attempts from outbox_quarantine order by id`);
  }

  /** Names of listeners that have handled everything. */
  async done(): Promise<string[]> {
    const rows = await this.app.db.query<{ name: string }>(sql`
      select name from outbox_listener
      where position = (select coalesce(max(position), 0) from outbox_order) and not exists (select from outbox_pending)
      order by name`);
    return rows.map(({ name }) => name);
  }
}
