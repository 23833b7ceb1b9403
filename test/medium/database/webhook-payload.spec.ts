import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { WebhookPayload1795523400000 } from '../../../src/migrations/1795523400000-webhook-payload.js';
import { openTestDataSource, type TestDataSource } from '../../support/data-source.js';

let database: TestDataSource;

beforeAll(async () => {
  database = await openTestDataSource();
});
afterAll(() => database.close());

const DELIVERIES = `select status, coalesce(payload, (select head from webhook_payload where id = payload_id)) as payload, lease,
  extract(epoch from lease_end)::int - 1767225600 as lease_end, holder from webhook_delivery order by id`;
const LEASE = '00000000-0000-0000-0000-000000000001';

it('an upgrade keeps all deliveries and leases, and can be reverted', async () => {
  const runner = database.dataSource.createQueryRunner();
  const migration = new WebhookPayload1795523400000();
  await migration.down(runner);
  await runner.query(`
    insert into webhook (target_url, type, active_since, api_version, events, created_date, updated_date)
    values ('http://example.com', 'server', now(), '2.1', '{update:task}', now(), now());
    insert into webhook_delivery (webhook_id, event, message_id, payload, status, next_attempt_at, created_date, updated_date)
    select id, 'update:task', gen_random_uuid(), state.payload, state.status, state.due::timestamptz, now(), now()
    from webhook, (values ('{"a":1}', 'pending', '2026-01-01T00:00:00Z'), ('{"a":2}', 'pending', '2026-01-01T00:00:00Z'),
      ('{"a":3}', 'delivered', null)) state(payload, status, due);
    insert into webhook_lease select min(id), '${LEASE}', '2026-01-01T00:00:30Z', 7 from webhook_delivery`);
  await migration.up(runner);
  expect(await runner.query(DELIVERIES)).toEqual([
    { status: 'pending', payload: '{"a":1}', lease: LEASE, lease_end: 30, holder: 7 },
    { status: 'pending', payload: '{"a":2}', lease: null, lease_end: null, holder: null },
    { status: 'delivered', payload: '{"a":3}', lease: null, lease_end: null, holder: null },
  ]);
  expect(await runner.query('select holder from webhook_lease_holder')).toEqual([{ holder: 7 }]);

  await runner.query(`
    with shared as (insert into webhook_payload (head) values ('{"b":1') returning id)
    update webhook_delivery set payload = null, payload_id = shared.id from shared where status = 'delivered'`);
  await migration.down(runner);
  const [webhook]: { id: number }[] = await runner.query('select id from webhook');
  expect(await runner.query('select payload from webhook_delivery order by id')).toEqual([
    { payload: '{"a":1}' },
    { payload: '{"a":2}' },
    { payload: `{"b":1,"webhook_id":${webhook?.id}}` },
  ]);
  expect(await runner.query('select lease, holder from webhook_lease')).toEqual([{ lease: LEASE, holder: 7 }]);
  await migration.up(runner);
  await runner.release();
});
