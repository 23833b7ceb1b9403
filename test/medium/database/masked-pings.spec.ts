import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MaskedPings1795521600000 } from '../../../src/migrations/1795521600000-masked-pings.js';
import { openTestDataSource, type TestDataSource } from '../../support/data-source.js';

let database: TestDataSource;

beforeAll(async () => {
  database = await openTestDataSource();
});
afterAll(() => database.close());

it('an upgrade masks header values in pings that were sent before', async () => {
  const payload = (webhook: object): string => JSON.stringify({ event: 'ping', webhook, sender: null });
  const clear = [
    payload({ id: 1, custom_headers: { 'X-Key': 'hid"den', 'X-{': '}' }, events: [] }),
    payload({ id: 1, custom_headers: {}, events: [] }),
    payload({ id: 1 }),
  ];
  const runner = database.dataSource.createQueryRunner();
  await runner.query(
    `with webhook as (
      insert into webhook (target_url, type, active_since, api_version, events, created_date, updated_date)
      values ('http://example.com', 'server', now(), '2.1', '{update:task}', now(), now()) returning id)
    insert into webhook_delivery (webhook_id, event, message_id, payload, status, created_date, updated_date)
    select id, 'ping', gen_random_uuid(), payload, 'delivered', now(), now() from webhook, unnest($1::text[]) payload`,
    [clear],
  );
  await new MaskedPings1795521600000().up(runner);
  const rows: { payload: string }[] = await runner.query('select payload from webhook_delivery order by id');
  expect(rows.map((row) => JSON.parse(row.payload) as unknown)).toEqual([
    { event: 'ping', webhook: { id: 1, custom_headers: { 'X-Key': '***', 'X-{': '***' }, events: [] }, sender: null },
    JSON.parse(clear[1] ?? ''),
    JSON.parse(clear[2] ?? ''),
  ]);
  await runner.release();
});
