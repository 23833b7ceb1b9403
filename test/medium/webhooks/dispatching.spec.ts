import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { OutboxCleaner } from '../../../src/core/events/outbox.cleaner.js';
import { NOT_URGENT } from '../../../src/core/events/on-event.js';
import { WebhookCleaner } from '../../../src/modules/webhooks/index.js';
import { payloadText } from '../../../src/modules/webhooks/dispatch/payload-text.js';
import { WebhookDispatcher } from '../../../src/modules/webhooks/dispatch/webhook-dispatcher.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { taskEvent, Workplace } from './workplace.js';

const URL = 'http://receiver.example/hook';
const NOW = '2026-01-01T00:00:00Z';

describe('dispatching events', () => {
  let app: TestApp;
  let place: Workplace;
  let projectId: number;

  beforeAll(async () => {
    app = await createTestApp();
    place = new Workplace(app);
  });
  beforeEach(async () => {
    await place.clear();
    place.setClock(NOW);
    projectId = await place.project();
  });
  afterAll(() => app.close());

  const dispatch = (events: ReturnType<typeof taskEvent>[]): Promise<number> =>
    place.work.run(async (tx) => {
      let statements = 0;
      const query = tx.query.bind(tx);
      tx.query = (statement, options) => {
        statements += 1;
        return query(statement, options);
      };
      await app.app.get(WebhookDispatcher).dispatch(events, tx);
      return statements;
    });

  it('is urgent as long as a webhook is enabled, even one that does not receive these events', async () => {
    const events = [taskEvent(1, projectId, NOW)];
    const run = () => place.work.run((tx) => app.app.get(WebhookDispatcher).dispatch(events, tx));
    expect(await run()).toBe(NOT_URGENT);
    const webhook = await place.webhook(URL, projectId + 1);
    expect(await run()).toBeUndefined();
    await place.query(sql`update webhook set is_active = false where id = ${webhook}`);
    expect(await run()).toBe(NOT_URGENT);
  });

  it('writes the deliveries of many events for many webhooks in two statements', async () => {
    const first = await place.webhook(URL, projectId);
    const second = await place.webhook(URL, projectId);
    await place.webhook(URL, projectId + 1);
    const events = Array.from({ length: 50 }, (_, index) => taskEvent(index + 1, projectId, NOW));
    expect(await dispatch(events)).toBe(2);
    const rows = await place.query<{ webhook_id: number; event_id: number; payload: string; changed_fields: string }>(
      sql`select webhook_id, event_id, ${payloadText('webhook_delivery')} as payload, changed_fields from webhook_delivery order by id`,
    );
    expect(rows.map((row) => [row.event_id, row.webhook_id])).toEqual(
      events.flatMap((event) => [
        [event.id, first],
        [event.id, second],
      ]),
    );
    expect(JSON.parse(rows[1]?.payload ?? '')).toEqual({
      event: 'update:task',
      task: events[0]?.after.object,
      sender: null,
      before_update: { name: 'old' },
      changes: { name: { from: 'old', to: events[0]?.after.object['name'] } },
      webhook_id: second,
    });
    expect(rows[1]?.changed_fields).toBe('name');
  });

  it('stores the payload of an event once, and deletes it with its last delivery', async () => {
    const [first, second] = [await place.webhook(URL, projectId), await place.webhook(URL, projectId)];
    const payloads = async () => (await place.query(sql`select id from webhook_payload order by id`)).length;
    await dispatch([taskEvent(1, projectId, NOW), taskEvent(2, projectId, NOW)]);
    await dispatch([taskEvent(1, projectId, NOW)]);
    expect(await place.deliveries()).toHaveLength(4);
    expect(await payloads()).toBe(2);
    await place.query(sql`delete from webhook_delivery where webhook_id = ${first}`);
    expect(await payloads()).toBe(2);
    await place.query(sql`delete from webhook_delivery where webhook_id = ${second} and event_id = 1`);
    expect(await payloads()).toBe(1);
  });

  it('creates one delivery for an event that is dispatched twice', async () => {
    await place.webhook(URL, projectId);
    const event = taskEvent(1, projectId, NOW);
    await dispatch([event]);
    await dispatch([event]);
    expect(await place.deliveries()).toHaveLength(1);
  });

  it('creates none for disabled or deleted webhooks', async () => {
    const off = await place.webhook(URL, projectId);
    await place.query(sql`update webhook set is_active = false where id = ${off}`);
    const deleted = await place.webhook(URL, projectId);
    await place.query(sql`update webhook set deleted_date = now() where id = ${deleted}`);
    await dispatch([taskEvent(1, projectId, NOW)]);
    expect(await place.deliveries()).toEqual([]);
  });

  it('removes deliveries and relayed events after the retention time', async () => {
    const webhook = await place.webhook(URL, projectId);
    await place.pending(webhook, 2);
    await place.query(sql`
      insert into outbox_event (name, object_id, after, occurred_at)
      values ('a', '1', '{}', ${NOW}), ('b', '1', '{}', ${NOW})`);
    await place.query(sql`insert into outbox_pending select id from outbox_event where name = 'b'`);
    place.setClock('2026-01-30T00:00:00Z');
    await place.pending(webhook, 1);
    const clean = () => Promise.all([app.app.get(WebhookCleaner).cleanOnce(), app.app.get(OutboxCleaner).cleanOnce()]);
    await clean();
    expect(await place.deliveries()).toHaveLength(3);
    place.setClock('2026-02-01T00:00:00Z');
    expect(await clean()).toEqual([false, false]);
    expect(await place.deliveries()).toHaveLength(1);
    expect(await place.query(sql`select name from outbox_event`)).toEqual([{ name: 'b' }]);
  });

  it('removes deleted webhooks with their deliveries, and those without a project once nothing is pending', async () => {
    const cleaner = app.app.get(WebhookCleaner);
    const deleted = await place.webhook(URL, projectId);
    await place.pending(deleted, 1500);
    await place.query(sql`update webhook set deleted_date = now() where id = ${deleted}`);
    const lonely = await place.webhook(URL, projectId + 1000);
    await place.pending(lonely, 1);
    const kept = await place.webhook(URL, projectId);
    expect(await cleaner.cleanOnce()).toBe(true);
    while (await cleaner.cleanOnce());
    const ids = async () =>
      (await place.query<{ id: number }>(sql`select id from webhook order by id`)).map(({ id }) => id);
    expect(await ids()).toEqual([lonely, kept]);
    await place.query(sql`update webhook_delivery set status = 'delivered', next_attempt_at = null`);
    await cleaner.cleanOnce(); // marks
    await cleaner.cleanOnce(); // removes
    expect(await ids()).toEqual([kept]);
    expect(await place.deliveries()).toEqual([]);
  });
});
