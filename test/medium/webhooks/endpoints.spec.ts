import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { ProcessDuties } from '../../../src/core/worker/process-duties.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';
import { capacityFor, Workplace } from './workplace.js';

describe('endpoints', () => {
  let app: TestApp;
  let place: Workplace;
  let receiver: Receiver;
  let webhookId: number;

  beforeAll(async () => {
    app = await createTestApp();
    place = new Workplace(app);
    receiver = await createReceiver();
  });
  beforeEach(async () => {
    await place.clear();
    place.setClock('2026-01-01T00:00:00Z');
    webhookId = await place.webhook(receiver.url, await place.project());
    receiver.arrivals.length = 0;
    receiver.answerWith(200);
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const numbers = () => receiver.arrivals.map(({ payload }) => payload['number']);
  const state = async () =>
    (await place.query(sql`select is_active, failures, failing_since, paused_until, disabled_reason from webhook`))[0];
  const wide = capacityFor(100, 100);

  it('get deliveries one after the other when ordered, and a retry blocks the rest', async () => {
    await place.query(sql`update webhook set ordered = true`);
    await place.pending(webhookId, 3);
    receiver.answerWith(500);
    expect(await place.worker.runOnce()).toBe(1);
    expect(await place.worker.runOnce()).toBe(0);
    place.setClock('2026-01-01T00:00:10Z');
    receiver.answerWith(200);
    for (let round = 0; round < 3; round += 1) expect(await place.worker.runOnce()).toBe(1);
    expect(numbers()).toEqual([1, 1, 2, 3]);
  });

  it('have at most one delivery leased when ordered, with any number of workers', async () => {
    await place.query(sql`update webhook set ordered = true`);
    await place.pending(webhookId, 3);
    const now = app.clock.now();
    const leaseEnd = new Date(now.getTime() + 1000);
    const claims = await Promise.all([1, 2, 3].map(() => place.queue.claim(app.db, wide, now, leaseEnd)));
    expect(claims.flat()).toHaveLength(1);
  });

  it('stay within their concurrency and rate limits', async () => {
    await place.pending(webhookId, 50);
    const now = app.clock.now();
    await place.query(sql`update webhook set max_concurrency = 3, rate_limit = 5`);
    expect(await place.queue.claim(app.db, wide, now, now)).toHaveLength(3);
    await place.query(sql`update webhook set max_concurrency = null`);
    expect(await place.queue.claim(app.db, wide, now, now)).toHaveLength(5);
  });

  it('stay within them with two workers, the second of which takes over from the first', async () => {
    const { databaseUrl: url, dataDir } = app.config;
    const other = await createTestApp({ dataDir, database: { url, drop: () => Promise.resolve() } });
    try {
      const there = new Workplace(other);
      there.setClock('2026-01-01T00:00:00Z');
      await place.query(sql`update webhook set max_concurrency = 3`);
      await place.pending(webhookId, 9);
      const free = await place.webhook(receiver.url, await place.project());
      await place.pending(free, 2);
      const now = app.clock.now();
      expect(await place.queue.claim(app.db, wide, now, now)).toHaveLength(3 + 2);
      const leased = await there.queue.claim(other.db, wide, now, now);
      expect(leased.map(({ webhook_id: id }) => id)).toEqual([free, free]);
      for (const { app: one } of [app, other]) await one.get(ProcessDuties).beforeApplicationShutdown();
      expect(await there.queue.claim(other.db, wide, now, now)).toHaveLength(3 + 2);
    } finally {
      await other.close();
    }
  });

  it('can have a retry schedule of their own', async () => {
    await place.query(sql`update webhook set retry_schedule = '{0}'`);
    await place.pending(webhookId, 1);
    receiver.answerWith(500);
    await place.worker.runOnce();
    expect(await place.deliveries()).toMatchObject([{ status: 'failed', attempts: 1 }]);
  });

  it('are paused after many consecutive failures, retried automatically, and recover with a success', async () => {
    await place.query(sql`update webhook set failures = 19, failing_since = '2025-12-31T23:59:30Z'`);
    await place.pending(webhookId, 2);
    receiver.answerWith(500);
    await place.query(sql`update webhook set max_concurrency = 1`);
    await place.worker.runOnce();
    expect(await state()).toMatchObject({ is_active: true, failures: 20, paused_until: '2026-01-01T00:01:00Z' });
    expect(await place.worker.runOnce()).toBe(0);
    place.setClock('2026-01-01T00:02:00Z');
    receiver.answerWith(200);
    expect(await place.worker.runOnce()).toBe(1);
    expect(await state()).toMatchObject({ failures: 0, failing_since: null, paused_until: null });
  });

  it.each([
    ['many at once, a minute', null, 64, '2026-01-01T00:01:00Z'],
    ['for some time, that time', '2025-12-31T23:53:00Z', 1, '2026-01-01T00:07:00Z'],
    ['for very long, an hour', '2025-12-30T00:00:00Z', 1, '2026-01-01T01:00:00Z'],
  ])('are paused, when they failed %s', async (_, since, count, until) => {
    await place.query(sql`update webhook set failures = 19, failing_since = ${since}::timestamptz`);
    await place.pending(webhookId, count);
    const now = app.clock.now();
    const leased = await place.queue.claim(app.db, wide, now, new Date(now.getTime() + 60_000));
    const attempt = { startedAt: now, duration: 1, statusCode: 500, response: '', error: 'failed', details: null };
    const failed = { attempts: 0, attempt, status: 'pending' as const, nextAttemptAt: now, disable: false };
    await place.queue.record(app.db, leased.map(({ id, lease }) => ({ ...failed, id, lease })), now); // prettier-ignore
    expect(leased).toHaveLength(count);
    expect(await state()).toMatchObject({ failures: 19 + count, paused_until: until });
  });

  it('are disabled, with the reason, when nothing has been delivered for five days', async () => {
    await place.query(sql`update webhook set failures = 300, failing_since = '2025-12-26T12:00:00Z'`);
    await place.pending(webhookId, 1);
    receiver.answerWith(503);
    await place.worker.runOnce();
    expect(await state()).toMatchObject({
      is_active: false,
      disabled_reason:
        'Nothing has been delivered since 2025-12-26 12:00 UTC. The last problem: the receiver responded with 503; see its log for the cause',
    });
    expect(await place.deliveries()).toMatchObject([{ status: 'pending' }]);
  });
});
