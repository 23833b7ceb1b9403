import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const START = Date.parse('2026-01-01T00:00:00Z');

describe('health of the background work', () => {
  let app: TestApp;
  let now: number;

  beforeAll(async () => {
    app = await createTestApp();
    now = START;
    app.clock.now = () => new Date(now);
    await app.drain(); // registers the listeners
  });
  beforeEach(async () => {
    now += 3_600_000; // what was read before is outdated
    await app.db.query(sql`
      truncate outbox_event, outbox_pending, outbox_order, outbox_quarantine, webhook, webhook_delivery`);
  });
  afterAll(() => app.close());

  const health = async (): Promise<Record<string, string>> =>
    (await app.http.get('/api/server/health/?format=json').expect(200)).body as Record<string, string>;
  const ago = (seconds: number): Date => new Date(now - seconds * 1000);

  const event = (seconds: number) =>
    app.db.query(sql`
      with written as (
        insert into outbox_event (name, object_id, after, occurred_at) values ('create:pebble', '1', '{}', ${ago(seconds)})
        returning id
      )
      insert into outbox_pending select id from written`);

  /** A webhook with a delivery that is due. */
  const due = (seconds: number, { lease = 0 } = {}) =>
    app.db.query(sql`
      with webhook as (
        insert into webhook (target_url, type, active_since, api_version, events, created_date, updated_date)
        values ('http://example.com', 'server', ${ago(0)}, '2.1', '{update:task}', ${ago(0)}, ${ago(0)}) returning id
      )
      insert into webhook_delivery (webhook_id, event, message_id, payload, status, next_attempt_at, lease_end,
        created_date, updated_date)
      select id, 'update:task', gen_random_uuid(), '{}', 'pending', ${ago(seconds)}, ${ago(-lease)}, ${ago(0)}, ${ago(0)}
      from webhook`);

  it('is working if nothing waits', async () => {
    expect(await health()).toMatchObject({ Events: 'working', Deliveries: 'working' });
  });

  it('is working if an event waits for less than a minute', async () => {
    await event(50);
    expect((await health())['Events']).toBe('working');
  });

  it('names the listeners for which an event waits for more than a minute, and is no error', async () => {
    await event(150);
    expect((await health())['Events']).toBe('Events are waiting for event log (2 minutes), webhooks (2 minutes).');
  });

  it('does not count events of other names for a listener', async () => {
    await event(150);
    await app.db.query(sql`
      with moved as (delete from outbox_pending returning event_id)
      insert into outbox_order (event_id, name) select event_id, 'create:pebble' from moved`);
    expect((await health())['Events']).not.toContain('quality feedback');
  });

  it('does not count a listener that this installation does not have', async () => {
    await app.db.query(sql`
      insert into outbox_listener (name, position, seen_date) values ('removed', 0, now())`);
    await event(150);
    await app.drain();
    expect((await health())['Events']).toBe('working');
  });

  it('warns of events in quarantine', async () => {
    await app.db.query(sql`
      insert into outbox_quarantine (listener, event_id, event, object_id, error, attempts, first_failed_date, last_failed_date)
      values ('webhooks', 1, 'x', '1', 'e', 1, now(), now()), ('webhooks', 2, 'x', '1', 'e', 1, now(), now())`);
    expect((await health())['Events']).toBe('Warning: events are in quarantine: webhooks (2).');
  });

  it('says how long a delivery has been due that nobody sends, and is no error', async () => {
    await due(300);
    expect((await health())['Deliveries']).toBe('A delivery has been due for 5 minutes, and nobody sends it.');
  });

  it('is working if a late delivery is being sent', async () => {
    await due(300, { lease: 60 });
    expect((await health())['Deliveries']).toBe('working');
  });

  it.each([
    ['is disabled', sql`is_active = false`],
    ['is paused after failures', sql`paused_until = ${new Date(START * 2)}`],
    ['has just received another one', sql`last_delivery_date = ${new Date(START * 2)}`],
  ])('is working if the webhook of a late delivery %s', async (_, change) => {
    await due(300);
    await app.db.query(sql`update webhook set ${change}`);
    expect((await health())['Deliveries']).toBe('working');
  });

  it('does not wait for what an ordered webhook sends later', async () => {
    await due(-60);
    await app.db.query(sql`update webhook set ordered = true`);
    await app.db.query(sql`
      insert into webhook_delivery (webhook_id, event, message_id, payload, status, next_attempt_at, created_date, updated_date)
      select webhook_id, event, gen_random_uuid(), payload, status, ${ago(300)}, ${ago(0)}, ${ago(0)} from webhook_delivery`);
    expect((await health())['Deliveries']).toBe('working');
  });

  it('has the ages with the details', async () => {
    await event(150);
    await due(300);
    const { details } = (await app.http.get('/api/server/health/?format=json&details=true')).body;
    expect([details.events.oldest_seconds, details['due deliveries']]).toEqual([
      150,
      { waiting: 1, oldest_seconds: 300 },
    ]);
  });
});
