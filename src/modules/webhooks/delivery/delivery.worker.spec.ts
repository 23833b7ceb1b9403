import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import type { Db } from '../../../core/database/db.js';
import type { Logger } from '../../../core/logging/logger.js';
import type { Capacity, DeliveryQueue, LeasedDelivery } from './delivery.queue.js';
import type { DeliveryRecorder } from './delivery.recorder.js';
import { DeliveryWorker, outcomeOf } from './delivery.worker.js';
import type { Notifier } from '../../../core/worker/notifier.js';
import type { WebhookMetrics } from './webhook-metrics.js';
import type { AttemptResult, WebhookSender } from './webhook-sender.js';

const WEBHOOK = 1;
const settled = () => new Promise(setImmediate);

/**
 * A worker whose leases and responses the test controls. It sends up to `each` deliveries at a time to its only
 * webhook.
 */
function workerOf(each: number) {
  const asked: { capacity: Capacity; give: (count: number) => void }[] = [];
  const sent: ((sent: AttemptResult) => void)[] = [];
  const claim = (_db: unknown, capacity: Capacity) =>
    new Promise<LeasedDelivery[]>((resolve) => {
      asked.push({ capacity, give: (count) => resolve(Array.from({ length: count }, delivery)) });
    });
  const worker = new DeliveryWorker(
    {} as Db,
    { claim } as unknown as DeliveryQueue,
    { isFull: false, start: () => undefined, add: () => undefined } as unknown as DeliveryRecorder,
    {
      longestMs: 1000,
      send: () => new Promise<AttemptResult>((answer) => sent.push(answer)),
    } as unknown as WebhookSender,
    new Clock(),
    {
      webhooks: { concurrency: 8 * each, endpointConcurrency: each, retrySchedule: [0], leaseMarginMs: 60_000 },
    } as unknown as Config,
    {} as Logger,
    { attempted: () => undefined } as unknown as WebhookMetrics,
    { listen: () => () => undefined, pollMs: (fast: number) => fast } as unknown as Notifier,
  );
  return {
    worker,
    asked,
    give: async (count: number) => {
      asked.at(-1)?.give(count);
      await settled();
    },
    /** Makes the first `count` pending receivers respond. */
    answer: async (count: number) => {
      for (const end of sent.splice(0, count)) end({ error: null, stopped: false, duration: 20 } as AttemptResult);
      await settled();
    },
  };
}

const delivery = () =>
  ({ webhook_id: WEBHOOK, max_concurrency: null, rate_limit: null, attempts: 0 }) as LeasedDelivery;

describe('DeliveryWorker', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance', 'Date'] }));
  afterEach(() => void jest.useRealTimers());

  it('claims once for places that become free during a claim that used only part of the capacity', async () => {
    const { worker, asked, give, answer } = workerOf(2);
    worker.start();
    await give(2);
    await answer(1);
    expect(asked).toHaveLength(2);
    await answer(1);
    await give(1);
    expect(asked).toHaveLength(2);
  });

  it('claims again immediately if the claim used all of the capacity and more became free', async () => {
    const { worker, asked, give, answer } = workerOf(2);
    worker.start();
    await give(2);
    await answer(1);
    expect(asked[1]?.capacity.ofWebhook.get(WEBHOOK)?.free).toBe(2);
    await answer(1);
    await give(2);
    expect(asked).toHaveLength(3);
  });
});

const now = new Date('2026-01-01T00:00:00Z');

const rules = { schedule: [0, 5000, 60_000], now, random: () => 0 };

const sent = (more: Partial<AttemptResult>): AttemptResult => ({
  startedAt: now,
  duration: 7,
  statusCode: 200,
  response: '',
  error: null,
  stopped: false,
  isPermanent: false,
  retryAfter: undefined,
  details: null,
  ...more,
});

const after = (more: Partial<AttemptResult>, attempts = 0) =>
  outcomeOf({ id: 1, lease: 'l', attempts }, sent(more), rules);

describe('outcomeOf', () => {
  it('is delivered after a success', () => {
    expect(after({})).toMatchObject({ status: 'delivered', nextAttemptAt: null, disable: false });
  });

  it('retries at the times of the schedule, then fails', () => {
    const failed = { statusCode: 500, error: 'the receiver responded with 500' };
    expect(after(failed)).toMatchObject({ status: 'pending', nextAttemptAt: new Date('2026-01-01T00:00:05Z') });
    expect(after(failed, 1)).toMatchObject({ status: 'pending', nextAttemptAt: new Date('2026-01-01T00:01:00Z') });
    expect(after(failed, 2)).toMatchObject({ status: 'failed', nextAttemptAt: null });
  });

  it('waits as long as Retry-After requests', () => {
    const asked = after({ statusCode: 429, error: 'x', retryAfter: '120' });
    expect(asked).toMatchObject({ status: 'pending', nextAttemptAt: new Date('2026-01-01T00:02:00Z') });
  });

  it('fails without a retry when a retry would end the same way', () => {
    expect(after({ statusCode: 404, error: 'x' })).toMatchObject({ status: 'failed', nextAttemptAt: null });
    expect(after({ statusCode: 502, error: 'x', isPermanent: true })).toMatchObject({ status: 'failed' });
  });

  it('disables the webhook when the receiver is gone, with the reason', () => {
    const gone = after({ statusCode: 410, error: 'the receiver responded with 410' });
    expect(gone).toMatchObject({ status: 'failed', disable: true });
    expect(gone.attempt?.error).toMatch(/^the receiver responded with 410: .*disabled/);
  });

  it('counts no attempt when the server stops', () => {
    const stopped = after({ statusCode: null, error: 'stopping', stopped: true });
    expect(stopped).toMatchObject({ attempt: null, status: 'pending', nextAttemptAt: now });
  });
});
