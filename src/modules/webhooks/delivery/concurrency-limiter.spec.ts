import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ConcurrencyLimiter, type EndpointSettings } from './concurrency-limiter.js';

const freeOf = (limiter: ConcurrencyLimiter, webhook: number, now = 0): number => {
  const { ofWebhook, each } = limiter.capacity(now);
  return ofWebhook.get(webhook)?.free ?? each;
};

function begin(limiter: ConcurrencyLimiter, webhook: number, settings?: EndpointSettings, now = 0): void {
  limiter.lease(webhook, now, settings);
  limiter.begin(webhook, now);
}

/** Leases `count` due deliveries of a webhook. */
function lease(limiter: ConcurrencyLimiter, webhook: number, count: number): void {
  const one = { webhook_id: webhook, max_concurrency: null, rate_limit: null };
  limiter.leased(
    limiter.capacity(0),
    Array.from({ length: count }, () => one),
    0,
  );
}

/** A receiver that has responded `times` times, each after the given number of milliseconds. */
function answered(limiter: ConcurrencyLimiter, webhook: number, times: number, milliseconds = 0, success = true): void {
  for (let i = 0; i < times; i += 1) {
    begin(limiter, webhook);
    limiter.end(webhook, 0, success, milliseconds);
  }
}

describe('ConcurrencyLimiter', () => {
  it('grows with every success up to the limit', () => {
    const limiter = new ConcurrencyLimiter({ total: 100, each: 4 });
    expect(limiter.capacity(0)).toEqual({
      total: 100,
      slow: 25,
      each: 2,
      ofWebhook: new Map(),
    });
    for (const expected of [3, 4, 4]) {
      answered(limiter, 7, 1, 2000);
      expect(freeOf(limiter, 7)).toBe(expected);
    }
    expect(limiter.capacity(0).total).toBe(100);
  });

  it('counts deliveries in flight', () => {
    const limiter = new ConcurrencyLimiter({ total: 3, each: 10 });
    begin(limiter, 7);
    begin(limiter, 7);
    const ofWebhook = new Map([[7, { free: 0, isSlow: true }]]);
    expect(limiter.capacity(0)).toEqual({ total: 1, slow: 0, each: 2, ofWebhook });
    expect(limiter.excess(7)).toBe(0);
    expect(freeOf(limiter, 8)).toBe(2);
  });

  it('shrinks with every failure, but never to zero', () => {
    const limiter = new ConcurrencyLimiter({ total: 100, each: 64 });
    answered(limiter, 7, 20);
    const seen: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      answered(limiter, 7, 1, 0, false);
      seen.push(freeOf(limiter, 7));
    }
    expect(seen).toEqual([11, 5, 2, 1, 1, 1, 1]);
  });

  it('needs no more as long as everything due was leased', () => {
    const limiter = new ConcurrencyLimiter({ total: 100, each: 4 });
    lease(limiter, 7, 1);
    expect(limiter.needsMore(7)).toBe(false);
    limiter.begin(7, 0);
    limiter.end(7, 0, true);
    expect(limiter.needsMore(7)).toBe(false);
  });

  it('needs more of a webhook that used its capacity once half of what is leased ahead has been sent', () => {
    const limiter = new ConcurrencyLimiter({ total: 100, each: 4 });
    lease(limiter, 7, 2);
    limiter.begin(7, 0);
    limiter.begin(7, 0);
    limiter.end(7, 0, true, 1);
    expect(limiter.needsMore(7)).toBe(true);
    expect(limiter.needsMore(8)).toBe(false);
    limiter.end(7, 0, true, 1);
    answered(limiter, 7, 100, 1);
    lease(limiter, 7, 32);
    for (let sent = 0; sent < 18; sent += 1) {
      expect(limiter.needsMore(7)).toBe(false);
      limiter.begin(7, 0);
      limiter.end(7, 0, true, 1);
    }
    expect(limiter.needsMore(7)).toBe(true);
    lease(limiter, 7, 0);
    expect(limiter.needsMore(7)).toBe(false);
  });

  it('needs more of a webhook that used its capacity, even if more became free meanwhile', () => {
    const limiter = new ConcurrencyLimiter({ total: 100, each: 4 });
    lease(limiter, 7, 2);
    limiter.begin(7, 0);
    limiter.begin(7, 0);
    limiter.end(7, 0, true, 1000);
    const offered = limiter.capacity(0);
    expect(offered.ofWebhook.get(7)?.free).toBe(2);
    limiter.end(7, 0, true, 1000);
    limiter.leased(
      offered,
      Array.from({ length: 2 }, () => ({ webhook_id: 7, max_concurrency: null, rate_limit: null })),
      0,
    );
    limiter.begin(7, 0);
    limiter.begin(7, 0);
    expect(limiter.needsMore(7)).toBe(true);
  });

  it('needs more of any webhook when all capacity was used, or that of the slow lane', () => {
    const limiter = new ConcurrencyLimiter({ total: 8, each: 4 });
    lease(limiter, 7, 1);
    expect(limiter.needsMore(9)).toBe(false);
    limiter.begin(7, 0);
    lease(limiter, 8, 1);
    expect(limiter.needsMore(9)).toBe(true);
  });

  it('leases ahead for a fast receiver without sending more, and not for a slow one', () => {
    const limiter = new ConcurrencyLimiter({ total: 16, each: 4 });
    answered(limiter, 7, 100, 1);
    expect(freeOf(limiter, 7)).toBe(32);
    for (let i = 0; i < 32; i += 1) limiter.lease(7, 0);
    while (limiter.isFree(7)) limiter.begin(7, 0);
    expect(limiter.capacity(0).total).toBe(12);
    expect(freeOf(limiter, 7)).toBe(0);
    limiter.end(7, 0, false, 1);
    expect(limiter.excess(7)).toBe(15);
    for (let i = 0; i < 28; i += 1) limiter.release(7);
    for (let i = 0; i < 3; i += 1) limiter.end(7, 0, null);
    expect(limiter.capacity(0).total).toBe(16);
    answered(limiter, 7, 100, 1000);
    expect(freeOf(limiter, 7)).toBe(5);
  });

  it('ignores attempts that a stop aborts', () => {
    const limiter = new ConcurrencyLimiter({ total: 100, each: 64 });
    begin(limiter, 7);
    limiter.end(7, 0, null);
    expect(limiter.capacity(0)).toMatchObject({ total: 100, ofWebhook: new Map([[7, { free: 2, isSlow: true }]]) });
  });

  it('forgets idle webhooks beyond a limit', () => {
    const limiter = new ConcurrencyLimiter({ total: 10, each: 64 });
    for (let webhook = 0; webhook < 3000; webhook += 1) {
      answered(limiter, webhook, 1);
    }
    expect(limiter.capacity(0).ofWebhook.size).toBeLessThanOrEqual(1000);
  });

  it('respects the concurrency and rate limits of a webhook', () => {
    const limiter = new ConcurrencyLimiter({ total: 100, each: 10 });
    const settings = { max_concurrency: 1, rate_limit: 2 };
    const left = (now: number) => freeOf(limiter, 7, now);
    begin(limiter, 7, settings);
    expect(left(0)).toBe(0);
    limiter.end(7, 0, true);
    expect(left(0)).toBe(1);
    begin(limiter, 7, settings);
    limiter.end(7, 0, true);
    expect(left(0)).toBe(0);
    expect(left(499)).toBe(0);
    expect(left(501)).toBe(1);
  });

  it('assigns slow, hanging and untried receivers to the slow lane', () => {
    const limiter = new ConcurrencyLimiter({ total: 100, each: 10 });
    const isSlow = (webhook: number, now = 0) => limiter.capacity(now).ofWebhook.get(webhook)?.isSlow;
    answered(limiter, 1, 1, 2001);
    answered(limiter, 2, 1, 2000, false);
    begin(limiter, 3);
    expect([1, 2, 3].map((webhook) => isSlow(webhook))).toEqual([true, false, true]);
    begin(limiter, 2);
    expect([2000, 3999, 4000].map((now) => isSlow(2, now))).toEqual([false, false, true]);
    answered(limiter, 1, 1, 10);
    expect(isSlow(1)).toBe(false);
    answered(limiter, 4, 1, 10);
    begin(limiter, 4);
    expect([999, 1000].map((now) => isSlow(4, now))).toEqual([false, true]);
    answered(limiter, 5, 1, 10);
    answered(limiter, 5, 1, 9000);
    expect(isSlow(5)).toBe(false);
    answered(limiter, 5, 1, 9000, false);
    expect(isSlow(5)).toBe(true);
    answered(limiter, 5, 1, 10);
    expect(isSlow(5)).toBe(false);
  });

  const limitsOfAll = fc.record({ total: fc.integer({ min: 4, max: 600 }), each: fc.integer({ min: 1, max: 100 }) });

  it('keeps a quarter for fast receivers, however many of the slow lane hang', () => {
    const waits = fc.array(fc.integer({ min: 0, max: 2000 }), { maxLength: 300 });
    fc.assert(
      fc.property(limitsOfAll, waits, (limits, hanging) => {
        const limiter = new ConcurrencyLimiter(limits);
        let now = 0;
        for (const [webhook, wait] of hanging.entries()) {
          if (limiter.capacity((now += wait)).slow > 0) begin(limiter, webhook, undefined, now);
        }
        expect(limiter.capacity(now).total).toBeGreaterThanOrEqual(Math.floor(limits.total / 4));
        expect(limiter.isFree(-1)).toBe(true);
      }),
    );
  });

  it('fills the slow lane in steps, each a third of what hanging receivers have left', () => {
    const limiter = new ConcurrencyLimiter({ total: 100, each: 10 });
    const steps: number[] = [];
    let webhook = 0;
    for (let now = 0; now <= 16_000; now += 1000) {
      const { slow } = limiter.capacity(now);
      for (let i = 0; i < slow; i += 1) begin(limiter, (webhook += 1), undefined, now);
      expect(limiter.capacity(now + 999).slow).toBe(0);
      steps.push(slow);
    }
    expect(steps).toEqual([25, 17, 11, 7, 5, 3, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
  });

  it('offers a part of the slow lane every second while receivers hang until the timeout', () => {
    const limiter = new ConcurrencyLimiter({ total: 512, each: 64 });
    const ends: { at: number; webhook: number }[] = [];
    let webhook = 0;
    let offeredAt = 0;
    for (let now = 0; now < 60_000; now += 200) {
      while (ends[0] !== undefined && ends[0].at <= now) limiter.end(ends.shift()?.webhook ?? 0, now, false, 15_000);
      const offered = limiter.capacity(now);
      const leases = Array.from({ length: offered.slow }, () => {
        webhook += 1;
        return { webhook_id: webhook, max_concurrency: null, rate_limit: null };
      });
      limiter.leased(offered, leases, now);
      for (const { webhook_id: id } of leases) {
        limiter.begin(id, now);
        ends.push({ at: now + 15_000, webhook: id });
      }
      expect(offered.total).toBeGreaterThanOrEqual(512 / 4);
      if (offered.slow > 0) offeredAt = now;
      expect(now - offeredAt).toBeLessThan(1000);
    }
  });

  it('leaves one part of n + 1 when n fast receivers stop responding at once', () => {
    fc.assert(
      fc.property(limitsOfAll, fc.integer({ min: 1, max: 100 }), (limits, n) => {
        const limiter = new ConcurrencyLimiter(limits);
        let begun = 0;
        for (let turn = 0; turn < limits.total; turn += 1) {
          for (let webhook = 0; webhook < n; webhook += 1) {
            limiter.lease(webhook, 0);
            if (!limiter.isFree(webhook)) continue;
            limiter.begin(webhook, 0);
            begun += 1;
          }
        }
        expect(begun).toBeLessThanOrEqual(n * limits.each);
        expect(limits.total - begun).toBeGreaterThanOrEqual(Math.floor(limits.total / (n + 1)));
      }),
    );
  });
});
