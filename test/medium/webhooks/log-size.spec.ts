import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { LogSize } from '../../../src/modules/webhooks/log/webhook-cleaner.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Workplace } from './workplace.js';

const LIMIT = 2 ** 20;

describe('the size of the delivery log', () => {
  let app: TestApp;
  let place: Workplace;
  let webhook: number;

  beforeAll(async () => {
    app = await createTestApp({ env: { WEBHOOK_LOG_MAX_BYTES: '1M' } });
    place = new Workplace(app);
  });
  beforeEach(async () => {
    await place.clear();
    webhook = await place.webhook('http://receiver.example/hook', await place.project());
  });
  afterAll(() => app.close());

  /** Deliveries whose responses do not compress. */
  const finished = (count: number) =>
    place.query(sql`
      with made as (
        insert into webhook_delivery (webhook_id, event, message_id, payload, response, status, created_date, updated_date)
        select ${webhook}::int, 'update:task', gen_random_uuid(), '{}',
          (select string_agg(md5(concat(number, ' ', part)), '') from generate_series(1, 32) part), 'delivered', now(), now()
        from generate_series(1, ${count}::int) number returning id
      )
      insert into webhook_attempt (delivery_id, number, started_at, duration, details)
      select id, 1, now(), 1, json_build_object('a', md5(id::text)) from made`);
  const ids = async () => (await place.deliveries()).map(({ id }) => id);

  it('removes nothing within the limit', async () => {
    await finished(100);
    const before = await ids();
    expect(await app.app.get(LogSize).trim()).toBe(0);
    expect(await ids()).toEqual(before);
  });

  it('removes the oldest finished deliveries beyond the limit, and no pending ones', async () => {
    await place.pending(webhook, 3);
    const waiting = await ids();
    await finished(2500);
    const size = app.app.get(LogSize);
    const before = await ids();
    const removed = await size.trim();
    expect(await size.estimate()).toBeLessThanOrEqual(LIMIT);
    expect(await size.estimate()).toBeGreaterThan(0.95 * LIMIT);
    expect(await ids()).toEqual([...waiting, ...before.slice(3 + removed)]);
    expect(await size.trim()).toBe(0); // though the table on disk is as large as before
  });
});
