import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { EndpointRoom, type EndpointSettings } from './endpoint-room.js';

const places = (room: EndpointRoom, webhook: number, now = 0): number => {
  const { ofWebhook, each } = room.room(now);
  return ofWebhook.get(webhook)?.places ?? each;
};

function begin(room: EndpointRoom, webhook: number, settings?: EndpointSettings, now = 0): void {
  room.lease(webhook, now, settings);
  room.begin(webhook, now);
}

/** Leases `count` due deliveries of a webhook. */
function lease(room: EndpointRoom, webhook: number, count: number): void {
  const one = { webhook_id: webhook, max_concurrency: null, rate_limit: null, failing: false };
  room.leased(
    room.room(0),
    Array.from({ length: count }, () => one),
    0,
  );
}

/** A receiver that has responded `times` times, each after the given number of milliseconds. */
function answered(room: EndpointRoom, webhook: number, times: number, milliseconds = 0, success = true): void {
  for (let i = 0; i < times; i += 1) {
    begin(room, webhook);
    room.end(webhook, 0, success, milliseconds);
  }
}

describe('EndpointRoom', () => {
  it('grows with every success up to the limit', () => {
    const room = new EndpointRoom({ total: 100, each: 4 });
    expect(room.room(0)).toEqual({
      total: 100,
      slow: 25,
      untried: 25,
      newest: false,
      each: 2,
      ofWebhook: new Map(),
    });
    for (const expected of [3, 4, 4]) {
      answered(room, 7, 1, 2000);
      expect(places(room, 7)).toBe(expected);
    }
    expect(room.room(0).total).toBe(100);
  });

  it('counts deliveries in flight', () => {
    const room = new EndpointRoom({ total: 3, each: 10 });
    begin(room, 7);
    begin(room, 7);
    const ofWebhook = new Map([[7, { places: 0, state: 'untried' }]]);
    expect(room.room(0)).toEqual({ total: 1, slow: 1, untried: 0, newest: false, each: 2, ofWebhook });
    expect(room.excess(7)).toBe(0);
    expect(places(room, 8)).toBe(2);
  });

  it('shrinks with every failure, but never to zero', () => {
    const room = new EndpointRoom({ total: 100, each: 64 });
    answered(room, 7, 20);
    const seen: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      answered(room, 7, 1, 0, false);
      seen.push(places(room, 7));
    }
    expect(seen).toEqual([11, 5, 2, 1, 1, 1, 1]);
  });

  it('wants no more as long as everything due found room', () => {
    const room = new EndpointRoom({ total: 100, each: 4 });
    lease(room, 7, 1);
    expect(room.isWanting(7)).toBe(false);
    room.begin(7, 0);
    room.end(7, 0, true);
    expect(room.isWanting(7)).toBe(false);
  });

  it('wants more of a webhook that filled its room once half of what is leased ahead has been sent', () => {
    const room = new EndpointRoom({ total: 100, each: 4 });
    lease(room, 7, 2);
    room.begin(7, 0);
    room.begin(7, 0);
    room.end(7, 0, true, 1);
    expect(room.isWanting(7)).toBe(true);
    expect(room.isWanting(8)).toBe(false);
    room.end(7, 0, true, 1);
    answered(room, 7, 100, 1);
    lease(room, 7, 32);
    for (let sent = 0; sent < 18; sent += 1) {
      expect(room.isWanting(7)).toBe(false);
      room.begin(7, 0);
      room.end(7, 0, true, 1);
    }
    expect(room.isWanting(7)).toBe(true);
    lease(room, 7, 0);
    expect(room.isWanting(7)).toBe(false);
  });

  it('wants more of a webhook that filled its room, even if places became free meanwhile', () => {
    const room = new EndpointRoom({ total: 100, each: 4 });
    lease(room, 7, 2);
    room.begin(7, 0);
    room.begin(7, 0);
    room.end(7, 0, true, 1000);
    const offered = room.room(0);
    expect(offered.ofWebhook.get(7)?.places).toBe(2);
    room.end(7, 0, true, 1000);
    room.leased(
      offered,
      Array.from({ length: 2 }, () => ({ webhook_id: 7, max_concurrency: null, rate_limit: null, failing: false })),
      0,
    );
    room.begin(7, 0);
    room.begin(7, 0);
    expect(room.isWanting(7)).toBe(true);
  });

  it('wants more of any webhook when all places were taken, or all places for slow or untried receivers', () => {
    const room = new EndpointRoom({ total: 8, each: 4 });
    lease(room, 7, 1);
    expect(room.isWanting(9)).toBe(false);
    room.begin(7, 0);
    lease(room, 8, 1);
    expect(room.isWanting(9)).toBe(true);
  });

  it('leases ahead for a quick receiver without using more places, and not for a slow one', () => {
    const room = new EndpointRoom({ total: 16, each: 4 });
    answered(room, 7, 100, 1);
    expect(places(room, 7)).toBe(32);
    for (let i = 0; i < 32; i += 1) room.lease(7, 0);
    while (room.isFree(7)) room.begin(7, 0);
    expect(room.room(0).total).toBe(12);
    expect(places(room, 7)).toBe(0);
    room.end(7, 0, false, 1);
    expect(room.excess(7)).toBe(15);
    for (let i = 0; i < 28; i += 1) room.giveBack(7);
    for (let i = 0; i < 3; i += 1) room.end(7, 0, null);
    expect(room.room(0).total).toBe(16);
    answered(room, 7, 100, 1000);
    expect(places(room, 7)).toBe(5);
  });

  it('ignores attempts that a stop aborts', () => {
    const room = new EndpointRoom({ total: 100, each: 64 });
    begin(room, 7);
    room.end(7, 0, null);
    expect(room.room(0)).toMatchObject({ total: 100, ofWebhook: new Map([[7, { places: 2, state: 'untried' }]]) });
  });

  it('forgets idle webhooks beyond a limit', () => {
    const room = new EndpointRoom({ total: 10, each: 64 });
    for (let webhook = 0; webhook < 3000; webhook += 1) {
      answered(room, webhook, 1);
    }
    expect(room.room(0).ofWebhook.size).toBeLessThanOrEqual(1000);
  });

  it('respects the concurrency and rate limits of a webhook', () => {
    const room = new EndpointRoom({ total: 100, each: 10 });
    const settings = { max_concurrency: 1, rate_limit: 2, failing: false };
    const left = (now: number) => places(room, 7, now);
    begin(room, 7, settings);
    expect(left(0)).toBe(0);
    room.end(7, 0, true);
    expect(left(0)).toBe(1);
    begin(room, 7, settings);
    room.end(7, 0, true);
    expect(left(0)).toBe(0);
    expect(left(499)).toBe(0);
    expect(left(501)).toBe(1);
  });

  it('distinguishes fast, slow, silent and untried receivers', () => {
    const room = new EndpointRoom({ total: 100, each: 10 });
    const state = (webhook: number, now = 0) => room.room(now).ofWebhook.get(webhook)?.state;
    answered(room, 1, 1, 2001);
    answered(room, 2, 1, 2000, false);
    begin(room, 3, { max_concurrency: null, rate_limit: null, failing: true });
    begin(room, 4);
    expect([1, 2, 3, 4].map((webhook) => state(webhook))).toEqual(['slow', 'quick', 'slow', 'untried']);
    expect(state(4, 1001)).toBe('slow');
    begin(room, 2);
    expect([2000, 4001].map((now) => state(2, now))).toEqual(['quick', 'slow']);
    answered(room, 1, 1, 10);
    expect(state(1)).toBe('quick');
    answered(room, 5, 1, 10);
    answered(room, 5, 1, 9000);
    expect(state(5)).toBe('quick');
    answered(room, 5, 1, 9000, false);
    expect(state(5)).toBe('slow');
  });

  const limitsOfAll = fc.record({ total: fc.integer({ min: 4, max: 600 }), each: fc.integer({ min: 1, max: 100 }) });

  it('keeps a quarter for quick receivers, however many slow or untried ones hang', () => {
    const hang = fc.record({ failing: fc.boolean(), wait: fc.integer({ min: 0, max: 2000 }) });
    fc.assert(
      fc.property(limitsOfAll, fc.array(hang, { maxLength: 300 }), (limits, hanging) => {
        const room = new EndpointRoom(limits);
        let now = 0;
        for (const [webhook, { failing, wait }] of hanging.entries()) {
          const { slow, untried } = room.room((now += wait));
          if ((failing ? slow : untried) <= 0) continue;
          begin(room, webhook, { max_concurrency: null, rate_limit: null, failing }, now);
        }
        expect(room.room(now).total).toBeGreaterThanOrEqual(Math.floor(limits.total / 4));
        expect(room.isFree(-1)).toBe(true);
      }),
    );
  });

  it('gives untried receivers an attempt although others hang, until there are many', () => {
    const room = new EndpointRoom({ total: 100, each: 10 });
    const tried: number[] = [];
    let webhook = 0;
    for (let now = 0; now <= 10_000; now += 2000) {
      const { untried } = room.room(now);
      for (let i = 0; i < untried; i += 1) begin(room, (webhook += 1), undefined, now);
      tried.push(untried);
    }
    expect(tried).toEqual([25, 25, 13, 0, 0, 0]);
  });

  /** Untried receivers that hang take every place offered. @returns the times at which the newest got its own place */
  function crowd(room: EndpointRoom, ms: number, tryMs: number): number[] {
    const newest: number[] = [];
    const ends: { at: number; webhook: number }[] = [];
    let webhook = 0;
    for (let now = 0; now < ms; now += 200) {
      while (ends[0] !== undefined && ends[0].at <= now) room.end(ends.shift()?.webhook ?? 0, now, false, tryMs);
      const offered = room.room(now);
      if (offered.newest) newest.push(now);
      const count = offered.untried + Number(offered.newest);
      const leases = Array.from({ length: count }, () => {
        webhook += 1;
        return { webhook_id: webhook, max_concurrency: null, rate_limit: null, failing: false };
      });
      room.leased(offered, leases, now);
      for (const { webhook_id: id } of leases) {
        room.begin(id, now);
        ends.push({ at: now + tryMs, webhook: id });
      }
      expect(offered.total).toBeGreaterThanOrEqual(512 / 4);
    }
    return newest;
  }

  it('regularly reserves a place for the newest while earlier ones hang, within the limit', () => {
    const times = crowd(new EndpointRoom({ total: 512, each: 64 }), 60_000, 15_000);
    const gaps = times.map((time, index) => time - (times[index - 1] ?? 0));
    expect(times[0]).toBeLessThanOrEqual(1000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1000);
    expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(500);
  });

  it('reserves none for the newest when all untried receivers found room', () => {
    const room = new EndpointRoom({ total: 512, each: 64 });
    lease(room, 7, 2);
    expect(room.room(0).newest).toBe(false);
    room.leased(room.room(0), [], 0);
    expect(room.room(10_000).newest).toBe(false);
  });

  it('leaves one part of n + 1 when n quick receivers stop responding at once', () => {
    fc.assert(
      fc.property(limitsOfAll, fc.integer({ min: 1, max: 100 }), (limits, n) => {
        const room = new EndpointRoom(limits);
        let begun = 0;
        for (let turn = 0; turn < limits.total; turn += 1) {
          for (let webhook = 0; webhook < n; webhook += 1) {
            room.lease(webhook, 0);
            if (!room.isFree(webhook)) continue;
            room.begin(webhook, 0);
            begun += 1;
          }
        }
        expect(begun).toBeLessThanOrEqual(n * limits.each);
        expect(limits.total - begun).toBeGreaterThanOrEqual(Math.floor(limits.total / (n + 1)));
      }),
    );
  });
});
