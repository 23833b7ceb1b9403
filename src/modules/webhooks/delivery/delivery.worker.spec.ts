import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import type { Db } from '../../../core/database/db.js';
import type { Logger } from '../../../core/logging/logger.js';
import type { DeliveryQueue, LeasedDelivery, Room } from './delivery.queue.js';
import type { DeliveryRecorder } from './delivery.recorder.js';
import { DeliveryWorker } from './delivery.worker.js';
import type { WebhookMetrics } from './webhook-metrics.js';
import type { Sent, WebhookSender } from './webhook-sender.js';

const WEBHOOK = 1;
const settled = () => new Promise(setImmediate);

/** A worker whose leases and answers come when the test says so; up to `each` are sent at a time to the only webhook. */
function workerOf(each: number) {
  const asked: { room: Room; give: (count: number) => void }[] = [];
  const sent: ((sent: Sent) => void)[] = [];
  const claim = (_db: unknown, room: Room) =>
    new Promise<LeasedDelivery[]>((resolve) => {
      asked.push({ room, give: (count) => resolve(Array.from({ length: count }, delivery)) });
    });
  const worker = new DeliveryWorker(
    {} as Db,
    { claim } as unknown as DeliveryQueue,
    { isFull: false, start: () => undefined, add: () => undefined } as unknown as DeliveryRecorder,
    { longestMs: 1000, send: () => new Promise<Sent>((answer) => sent.push(answer)) } as unknown as WebhookSender,
    new Clock(),
    {
      webhooks: { concurrency: 8 * each, endpointConcurrency: each, retrySchedule: [0], leaseMarginMs: 60_000 },
    } as unknown as Config,
    {} as Logger,
    { attempted: () => undefined } as unknown as WebhookMetrics,
  );
  return {
    worker,
    asked,
    give: async (count: number) => {
      asked.at(-1)?.give(count);
      await settled();
    },
    /** So many receivers answer, those that were asked first. */
    answer: async (count: number) => {
      for (const end of sent.splice(0, count)) end({ error: null, stopped: false, duration: 20 } as Sent);
      await settled();
    },
  };
}

const delivery = () =>
  ({ webhook_id: WEBHOOK, max_concurrency: null, rate_limit: null, failing: false, attempts: 0 }) as LeasedDelivery;

describe('DeliveryWorker', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance', 'Date'] }));
  afterEach(() => void jest.useRealTimers());

  it('asks once for the room that comes free while it asks, when less came than there was room for', async () => {
    const { worker, asked, give, answer } = workerOf(2);
    worker.start();
    await give(2);
    await answer(1);
    expect(asked).toHaveLength(2);
    await answer(1);
    await give(1);
    expect(asked).toHaveLength(2);
  });

  it('asks again at once when all that there was room for came, and more room meanwhile', async () => {
    const { worker, asked, give, answer } = workerOf(2);
    worker.start();
    await give(2);
    await answer(1);
    expect(asked[1]?.room.ofWebhook.get(WEBHOOK)?.places).toBe(2);
    await answer(1);
    await give(2);
    expect(asked).toHaveLength(3);
  });
});
