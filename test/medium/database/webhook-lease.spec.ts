import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { WebhookLease1795316400000 } from '../../../src/migrations/1795316400000-webhook-lease.js';
import { WebhookPayload1795523400000 } from '../../../src/migrations/1795523400000-webhook-payload.js';
import { openTestDataSource, type TestDataSource } from '../../support/data-source.js';

let database: TestDataSource;

beforeAll(async () => {
  database = await openTestDataSource();
});
afterAll(() => database.close());

it('an upgrade keeps deliveries in flight: they are due when their lease would have expired', async () => {
  const runner = database.dataSource.createQueryRunner();
  await new WebhookPayload1795523400000().down(runner);
  const migration = new WebhookLease1795316400000();
  await migration.down(runner);
  await runner.query(`
    insert into webhook (target_url, type, active_since, api_version, events, created_date, updated_date)
    values ('http://example.com', 'server', now(), '2.1', '{update:task}', now(), now());
    insert into webhook_delivery (webhook_id, event, message_id, payload, status, lease, next_attempt_at, created_date, updated_date)
    select id, 'update:task', gen_random_uuid(), '{}', state.status, state.lease, state.due::timestamptz, now(), now()
    from webhook, (values ('leased', gen_random_uuid(), '2026-01-01T00:00:30Z'), ('pending', null, '2026-01-01T00:00:00Z'),
      ('delivered', null, null)) state(status, lease, due)`);
  await migration.up(runner);
  expect(
    await runner.query(`
      select status, extract(epoch from next_attempt_at)::int - 1767225600 as due from webhook_delivery order by id`),
  ).toEqual([
    { status: 'pending', due: 30 },
    { status: 'pending', due: 0 },
    { status: 'delivered', due: null },
  ]);
  await runner.release();
});
