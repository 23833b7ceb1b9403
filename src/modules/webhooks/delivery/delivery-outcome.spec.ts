import { describe, expect, it } from '@jest/globals';
import { outcomeOf } from './delivery-outcome.js';
import type { Sent } from './webhook-sender.js';

const now = new Date('2026-01-01T00:00:00Z');
const rules = { schedule: [0, 5000, 60_000], now, random: () => 0 };
const sent = (more: Partial<Sent>): Sent => ({
  startedAt: now,
  duration: 7,
  statusCode: 200,
  response: '',
  error: null,
  stopped: false,
  hopeless: false,
  retryAfter: undefined,
  details: null,
  ...more,
});
const after = (more: Partial<Sent>, attempts = 0) => outcomeOf({ id: 1, lease: 'l', attempts }, sent(more), rules);

describe('outcomeOf', () => {
  it('is done after a success', () => {
    expect(after({})).toMatchObject({ status: 'delivered', nextAttemptAt: null, disable: false });
  });

  it('tries again at the times of the schedule, then gives up', () => {
    const failed = { statusCode: 500, error: 'the receiver answered 500' };
    expect(after(failed)).toMatchObject({ status: 'pending', nextAttemptAt: new Date('2026-01-01T00:00:05Z') });
    expect(after(failed, 1)).toMatchObject({ status: 'pending', nextAttemptAt: new Date('2026-01-01T00:01:00Z') });
    expect(after(failed, 2)).toMatchObject({ status: 'failed', nextAttemptAt: null });
  });

  it('waits as long as the receiver asks', () => {
    const asked = after({ statusCode: 429, error: 'x', retryAfter: '120' });
    expect(asked).toMatchObject({ status: 'pending', nextAttemptAt: new Date('2026-01-01T00:02:00Z') });
  });

  it('gives up at once what would end the same way', () => {
    expect(after({ statusCode: 404, error: 'x' })).toMatchObject({ status: 'failed', nextAttemptAt: null });
    expect(after({ statusCode: 502, error: 'x', hopeless: true })).toMatchObject({ status: 'failed' });
  });

  it('switches the webhook off when the receiver is gone for good, and says so', () => {
    const gone = after({ statusCode: 410, error: 'the receiver answered 410' });
    expect(gone).toMatchObject({ status: 'failed', disable: true });
    expect(gone.attempt?.error).toMatch(/^the receiver answered 410: .*switched off/);
  });

  it('counts no attempt when the server stops', () => {
    const stopped = after({ statusCode: null, error: 'stopping', stopped: true });
    expect(stopped).toMatchObject({ attempt: null, status: 'pending', nextAttemptAt: now });
  });
});
