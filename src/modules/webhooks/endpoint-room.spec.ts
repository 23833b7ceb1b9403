import { describe, expect, it } from '@jest/globals';
import { EndpointRoom } from './endpoint-room.js';

const started = (room: EndpointRoom, webhook: number): number =>
  room.room(0).ofWebhook.get(webhook) ?? room.room(0).each;

describe('EndpointRoom', () => {
  it('grows with every success up to the limit', () => {
    const room = new EndpointRoom({ total: 100, each: 4 });
    expect(room.room(0)).toEqual({ total: 100, each: 2, ofWebhook: new Map() });
    for (const expected of [3, 4, 4]) {
      room.begin(7, 0);
      room.end(7, true, 2000);
      expect(started(room, 7)).toBe(expected);
    }
    expect(room.room(0).total).toBe(100);
  });

  it('counts what is under way', () => {
    const room = new EndpointRoom({ total: 3, each: 10 });
    room.begin(7, 0);
    room.begin(7, 0);
    expect(room.room(0)).toEqual({ total: 1, each: 2, ofWebhook: new Map([[7, 0]]) });
    expect(room.excess(7)).toBe(0);
    expect(started(room, 8)).toBe(2);
  });

  it('shrinks with every failure, but never to nothing', () => {
    const room = new EndpointRoom({ total: 100, each: 64 });
    for (let i = 0; i < 20; i += 1) {
      room.begin(7, 0);
      room.end(7, true);
    }
    const seen: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      room.begin(7, 0);
      room.end(7, false);
      seen.push(started(room, 7));
    }
    expect(seen).toEqual([11, 5, 2, 1, 1, 1, 1]);
  });

  it('leases ahead for a quick receiver, which takes nobody a place, and not for a slow one', () => {
    const room = new EndpointRoom({ total: 16, each: 4 });
    const answered = (milliseconds: number) => {
      room.begin(7, 0);
      room.end(7, true, milliseconds);
    };
    for (let i = 0; i < 100; i += 1) answered(1);
    expect(started(room, 7)).toBe(32);
    for (let i = 0; i < 32; i += 1) room.begin(7, 0);
    expect(room.room(0)).toMatchObject({ total: 12, ofWebhook: new Map([[7, 0]]) });
    room.end(7, false, 1);
    expect(room.excess(7)).toBe(15);
    for (let i = 0; i < 31; i += 1) room.end(7, null);
    expect(room.room(0).total).toBe(16);
    for (let i = 0; i < 100; i += 1) answered(1000);
    expect(started(room, 7)).toBe(5);
  });

  it('learns nothing from a stop', () => {
    const room = new EndpointRoom({ total: 100, each: 64 });
    room.begin(7, 0);
    room.end(7, null);
    expect(room.room(0)).toEqual({ total: 100, each: 2, ofWebhook: new Map([[7, 2]]) });
  });

  it('does not remember thousands of idle webhooks', () => {
    const room = new EndpointRoom({ total: 10, each: 64 });
    for (let webhook = 0; webhook < 3000; webhook += 1) {
      room.begin(webhook, 0);
      room.end(webhook, true);
    }
    expect(room.room(0).ofWebhook.size).toBeLessThanOrEqual(1000);
  });

  it('keeps to the concurrency and the rate that a webhook asks for', () => {
    const room = new EndpointRoom({ total: 100, each: 10 });
    const settings = { max_concurrency: 1, rate_limit: 2 };
    const left = (now: number) => room.room(now).ofWebhook.get(7);
    room.begin(7, 0, settings);
    expect(left(0)).toBe(0);
    room.end(7, true);
    expect(left(0)).toBe(1);
    room.begin(7, 0, settings);
    room.end(7, true);
    expect(left(0)).toBe(0);
    expect(left(499)).toBe(0);
    expect(left(501)).toBe(1);
  });
});
