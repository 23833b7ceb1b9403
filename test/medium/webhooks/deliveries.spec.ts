import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { WebhookSender } from '../../../src/modules/webhooks/delivery/webhook-sender.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';
import type { Capacity } from '../../../src/modules/webhooks/delivery/delivery.queue.js';
import { capacityFor, Workplace } from './workplace.js';

describe('sending deliveries', () => {
  let app: TestApp;
  let place: Workplace;
  let receiver: Receiver;
  let projectId: number;
  let webhook: number;

  beforeAll(async () => {
    app = await createTestApp();
    place = new Workplace(app);
    receiver = await createReceiver();
    projectId = await place.project();
  });
  beforeEach(async () => {
    await place.clear();
    place.setClock('2026-01-01T00:00:00Z');
    receiver.arrivals.length = 0;
    receiver.answer = (response) => response.end('fine');
    webhook = await place.webhook(receiver.url, projectId);
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  it('sends the stored bytes, and records the response', async () => {
    await place.pending(webhook, 3);
    while ((await place.worker.runOnce()) > 0);
    expect(receiver.arrivals.map(({ bytes }) => bytes.toString()).sort()).toEqual(
      [1, 2, 3].map((number) => `{"number":${number}}`),
    );
    for (const delivery of await place.deliveries())
      expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, status_code: 200, response: 'fine' });
    expect(await place.attempts()).toHaveLength(3);
    expect(await place.lastStatus(webhook)).toBe(200);
  });

  it('retries by the schedule with the same webhook-id, and records each attempt', async () => {
    await place.pending(webhook, 1);
    receiver.answerWith(503);
    expect(await place.worker.runOnce()).toBe(1);
    const [failed] = await place.deliveries();
    expect(failed).toMatchObject({ status: 'pending', attempts: 1, status_code: 503 });
    expect(await place.worker.runOnce()).toBe(0);
    place.setClock('2026-01-01T00:00:04.900Z');
    expect(await place.worker.runOnce()).toBe(0);
    place.setClock('2026-01-01T00:00:06Z'); // 5 s and at most a fifth more
    receiver.answerWith(200);
    expect(await place.worker.runOnce()).toBe(1);
    expect(await place.deliveries()).toMatchObject([{ status: 'delivered', attempts: 2, status_code: 200 }]);
    expect(await place.attempts()).toMatchObject([
      { number: 1, status_code: 503, error: 'the receiver responded with 503; see its log for the cause' },
      { number: 2, status_code: 200, error: null },
    ]);
    const [first, second] = receiver.arrivals.map(({ headers }) => headers);
    expect(second?.['webhook-id']).toBe(first?.['webhook-id']);
    expect(Number(second?.['webhook-timestamp']) - Number(first?.['webhook-timestamp'])).toBe(6);
  });

  it('disables the webhook on 410, and sends pending deliveries when it is enabled again', async () => {
    await place.pending(webhook, 1);
    receiver.answerWith(410);
    await place.worker.runOnce();
    expect(await place.query(sql`select is_active, last_status from webhook`)).toEqual([
      { is_active: false, last_status: 410 },
    ]);
    expect((await place.attempts())[0]?.error).toContain('disabled');
    await place.pending(webhook, 1);
    receiver.answerWith(200);
    expect(await place.worker.runOnce()).toBe(0);
    await place.query(sql`update webhook set is_active = true`);
    expect(await place.worker.runOnce()).toBe(1);
  });

  it('shows the status of the newest delivery, also after retries of older ones', async () => {
    await place.pending(webhook, 2);
    receiver.answer = (response, { payload }) => response.writeHead(payload['number'] === 1 ? 500 : 201).end();
    await place.worker.runOnce();
    expect(await place.lastStatus(webhook)).toBe(201);
    place.setClock('2026-01-01T01:00:00Z');
    expect(await place.worker.runOnce()).toBe(1);
    expect(await place.lastStatus(webhook)).toBe(201);
  });

  it('lets another worker take a delivery when the lease expires, and drops the late outcome', async () => {
    await place.pending(webhook, 1);
    const now = app.clock.now();
    const leaseEnd = new Date(now.getTime() + 60_000);
    const [dead] = await place.queue.claim(app.db, capacityFor(10, 10), now, leaseEnd);
    expect(await place.worker.runOnce()).toBe(0);
    place.setClock('2026-01-01T00:01:01Z');
    expect(await place.worker.runOnce()).toBe(1);
    const late = { startedAt: now, duration: 1, statusCode: 500, response: 'late', error: 'late', details: null };
    await place.queue.record(
      app.db,
      [{ id: dead?.id ?? 0, lease: dead?.lease ?? '', attempts: 0, attempt: late, status: 'failed', nextAttemptAt: null, disable: true }],
      app.clock.now(),
    ); // prettier-ignore
    expect(await place.deliveries()).toMatchObject([{ status: 'delivered', attempts: 1, response: 'fine' }]);
    expect(await place.attempts()).toHaveLength(1);
    expect(await place.query(sql`select is_active, last_status from webhook`)).toEqual([
      { is_active: true, last_status: 200 },
    ]);
  });

  it('leases a delivery to one of many workers that claim at once', async () => {
    await place.pending(webhook, 40);
    const now = app.clock.now();
    const capacity = capacityFor(10, 10);
    const ask = () => place.queue.claim(app.db, capacity, now, new Date(now.getTime() + 60_000));
    const asked = (await Promise.all([1, 2, 3, 4].map(ask))).flat();
    for (let claimed = await ask(); claimed.length > 0; claimed = await ask()) asked.push(...claimed);
    expect(new Set(asked.map(({ id }) => id)).size).toBe(40);
    expect(asked).toHaveLength(40);
  });

  it('records an attempt once when its outcome is recorded twice', async () => {
    await place.pending(webhook, 1);
    const now = app.clock.now();
    const capacity = capacityFor(10, 10);
    const [delivery] = await place.queue.claim(app.db, capacity, now, new Date(now.getTime() + 60_000));
    const attempt = { startedAt: now, duration: 1, statusCode: 500, response: '', error: 'failed', details: null };
    const { id, lease } = delivery ?? { id: 0, lease: '' };
    const outcome = { id, lease, attempts: 0, attempt, status: 'pending', nextAttemptAt: now, disable: false } as const;
    await place.queue.record(app.db, [outcome], now);
    await place.queue.record(app.db, [outcome], now);
    expect(await place.attempts()).toHaveLength(1);
    expect(await place.query(sql`select 1 from webhook_delivery where lease is not null`)).toEqual([]);
  });

  it('serves every webhook before serving one twice', async () => {
    await place.pending(webhook, 1000);
    place.setClock('2026-01-01T00:00:01Z');
    const other = await place.webhook(receiver.url, projectId);
    await place.pending(other, 3);
    const claim = (total: number, ofWebhook: Capacity['ofWebhook']) =>
      place.queue.claim(app.db, capacityFor(total, 100, ofWebhook), app.clock.now(), new Date('2026-01-02T00:00:00Z'));
    const first = await claim(4, new Map());
    expect(first.map((delivery) => delivery.webhook_id).sort((a, b) => a - b)).toEqual([
      webhook,
      webhook,
      other,
      other,
    ]);
    const second = await claim(50, new Map([[webhook, { free: 7, isSlow: false }]]));
    expect(second.filter((delivery) => delivery.webhook_id === webhook)).toHaveLength(7);
    expect(second.filter((delivery) => delivery.webhook_id === other)).toHaveLength(1);
    expect(await claim(50, new Map([[webhook, { free: 0, isSlow: false }]]))).toEqual([]);
  });

  it('limits the slow lane, which untried and failing webhooks use, and takes the first of every webhook before a second', async () => {
    const failing = await place.webhook(receiver.url, projectId);
    const [slow, fast] = [await place.webhook(receiver.url, projectId), await place.webhook(receiver.url, projectId)];
    const others = [await place.webhook(receiver.url, projectId), await place.webhook(receiver.url, projectId)];
    await place.query(sql`update webhook set failing_since = now() where id = ${failing}`);
    for (const id of [webhook, failing, slow, fast, ...others]) await place.pending(id, 5);
    const known = new Map([
      [fast, { free: 4, isSlow: false }],
      [slow, { free: 4, isSlow: true }],
    ]);
    const capacity = { ...capacityFor(20, 3, known), slow: 7 };
    const now = app.clock.now();
    const claimed = await place.queue.claim(app.db, capacity, now, new Date(now.getTime() + 60_000));
    const countOf = (id: number) => claimed.filter(({ webhook_id: of }) => of === id).length;
    expect([failing, slow, ...others, webhook].map(countOf).toSorted((a, b) => a - b)).toEqual([1, 1, 1, 2, 2]);
    expect([failing, slow].map(countOf)).toEqual([1, 1]);
    expect(countOf(fast)).toBe(4);
    const later = await place.queue.claim(app.db, { ...capacity, slow: 0 }, now, now);
    expect(new Set(later.map(({ webhook_id: of }) => of))).toEqual(new Set([fast]));
  });

  it('takes the newest untried webhook first in the slow lane, then the others, before known ones', async () => {
    const slow = webhook;
    const untried = await Promise.all([1, 2, 3, 4].map(() => place.webhook(receiver.url, projectId)));
    for (const id of [slow, ...untried]) await place.pending(id, 2);
    await place.query(
      sql`update webhook_delivery set next_attempt_at = next_attempt_at - make_interval(secs => ${Math.max(...untried)} - webhook_id)`,
    );
    const now = app.clock.now();
    const claimOf = async (lane: number): Promise<number[]> => {
      const capacity = { ...capacityFor(20, 2, new Map([[slow, { free: 2, isSlow: true }]])), slow: lane };
      const claimed = await place.queue.claim(app.db, capacity, now, now);
      return claimed.map(({ webhook_id: of }) => of).toSorted((a, b) => a - b);
    };
    const newestLast = untried.toSorted((a, b) => a - b);
    expect(await claimOf(0)).toEqual([]);
    expect(await claimOf(1)).toEqual(newestLast.slice(3));
    expect(await claimOf(3)).toEqual(newestLast.slice(1));
    expect(await claimOf(5)).toEqual([slow, ...newestLast]);
    expect(await claimOf(10)).toHaveLength(10);
  });

  it('does not let a receiver that hangs delay another', async () => {
    const hanging: (() => void)[] = [];
    receiver.answer = (response, { path }) => {
      if (path === '/hang') hanging.push(() => response.end());
      else response.end();
    };
    const stuck = await place.webhook(receiver.url.replace('/hook', '/hang'), projectId);
    await place.pending(stuck, 50);
    await place.pending(webhook, 1);
    const round = place.worker.runOnce();
    await receiver.arrived(3);
    expect(receiver.arrivals.map(({ path }) => path).sort()).toEqual(['/hang', '/hang', '/hook']);
    for (const answer of hanging) answer();
    expect(await round).toBe(3);
  });

  it('releases deliveries in flight when the server stops, without counting an attempt', async () => {
    await place.pending(webhook, 1);
    receiver.answer = () => undefined;
    const other = new Workplace(await createTestApp({ env: { DATABASE_URL: app.config.databaseUrl, DATA_DIR: app.config.dataDir } })); // prettier-ignore
    other.setClock('2026-01-01T00:00:00Z');
    const round = other.worker.runOnce();
    await receiver.arrived(1);
    await other.app.app.get(WebhookSender).close();
    await round;
    await other.app.close();
    expect(await place.deliveries()).toMatchObject([{ status: 'pending', attempts: 0, status_code: null }]);
    expect(await place.attempts()).toEqual([]);
    receiver.answer = (response) => response.end();
    expect(await place.worker.runOnce()).toBe(1);
  });

  it('sends everything once with two workers', async () => {
    const second = await createTestApp({ env: { DATABASE_URL: app.config.databaseUrl, DATA_DIR: app.config.dataDir } });
    const other = new Workplace(second);
    other.setClock('2026-01-01T00:00:00Z');
    const webhooks = [
      webhook,
      await place.webhook(receiver.url, projectId),
      await place.webhook(receiver.url, projectId),
    ];
    for (const id of webhooks) await place.pending(id, 40);
    const all = async (worker: Workplace['worker']): Promise<number> => {
      let sum = 0;
      for (let count = -1; count !== 0; sum += count) count = await worker.runOnce();
      return sum;
    };
    const counts = await Promise.all([all(place.worker), all(other.worker)]);
    await second.close();
    expect(counts.reduce((sum, count) => sum + count)).toBe(120);
    expect(new Set(receiver.arrivals.map(({ headers }) => headers['webhook-id'])).size).toBe(120);
    expect(receiver.arrivals).toHaveLength(120);
    expect((await place.deliveries()).every((delivery) => delivery.status === 'delivered')).toBe(true);
  });

  it('stores what a text column accepts of a response, and nothing of a response that is too large', async () => {
    await place.pending(webhook, 1);
    receiver.answer = (response) => response.end('a\0b');
    await place.worker.runOnce();
    await place.pending(webhook, 1);
    receiver.answer = (response) => response.end(Buffer.alloc(2 ** 20 + 1, 'x'));
    await place.worker.runOnce();
    const answers = await place.deliveries();
    expect(answers.map(({ status, response }) => [status, response])).toEqual([
      ['delivered', 'ab'],
      ['delivered', ''],
    ]);
  });

  it('sends nothing unsigned when the secret cannot be decrypted', async () => {
    await place.query(sql`update webhook set secret = 'sealed-v1:AAAA'`);
    await place.pending(webhook, 1);
    await place.worker.runOnce();
    expect(receiver.arrivals).toEqual([]);
    expect(await place.deliveries()).toMatchObject([{ status: 'pending', attempts: 1, status_code: null }]);
    expect((await place.attempts())[0]?.error).toContain('a stored secret');
  });
});
