import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { DEFAULT_RETRY_SCHEDULE, isWorthRepeating, MAX_RETRY_AFTER_MS, nextAttempt, retryAfterMs } from './retry.js';

const now = new Date('2026-01-01T00:00:00Z');
const none = () => 0;
const failed = { attempt: 1, status: 500, now, random: none };
const seconds = (next: Date | string) => (next instanceof Date ? (next.getTime() - now.getTime()) / 1000 : next);

const after = (retryAfter: string) => seconds(nextAttempt({ ...failed, status: 429, retryAfter }));

describe('nextAttempt', () => {
  it('follows the advised schedule and ends', () => {
    const waits = DEFAULT_RETRY_SCHEDULE.map((_wait, i) => seconds(nextAttempt({ ...failed, attempt: i + 1 })));
    expect(waits).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, 'final']);
  });

  it('takes another schedule', () => {
    expect(seconds(nextAttempt({ ...failed, schedule: [0, 1000] }))).toBe(1);
    expect(nextAttempt({ ...failed, schedule: [0] })).toBe('final');
    expect(nextAttempt({ ...failed, schedule: [] })).toBe('final');
  });

  it.each([
    [200, 'final'],
    [204, 'final'],
    [301, 5],
    [400, 'final'],
    [401, 'final'],
    [404, 'final'],
    [407, 'final'],
    [408, 5],
    [410, 'disable'],
    [422, 'final'],
    [429, 5],
    [500, 5],
    [502, 5],
    [503, 5],
    [504, 5],
    [599, 5],
    [null, 5],
  ])('after status %s: %s', (status, expected) => {
    expect(seconds(nextAttempt({ ...failed, status }))).toBe(expected);
  });

  it('waits as long as Retry-After requests, within bounds, never shorter than the schedule', () => {
    expect(after('60')).toBe(60);
    expect(after('1')).toBe(5);
    expect(after('Thu, 01 Jan 2026 00:02:00 GMT')).toBe(120);
    expect(after('99999999999999999999999')).toBe(MAX_RETRY_AFTER_MS / 1000);
    expect(after('Fri, 31 Dec 9999 23:59:59 GMT')).toBe(MAX_RETRY_AFTER_MS / 1000);
    expect(after('soon')).toBe(5);
  });

  it('spreads by at most a fifth, always later than now', () => {
    const attempts = fc.integer({ min: 1, max: 12 });
    const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(attempts, randoms, fc.option(fc.string(), { nil: undefined }), (attempt, random, retryAfter) => {
        const next = nextAttempt({ ...failed, attempt, retryAfter, random: () => random });
        const wait = Math.max(
          DEFAULT_RETRY_SCHEDULE[attempt] ?? 0,
          Math.min(retryAfterMs(retryAfter, now) ?? 0, MAX_RETRY_AFTER_MS),
        );
        if (next === 'final') expect(attempt).toBeGreaterThanOrEqual(DEFAULT_RETRY_SCHEDULE.length);
        else {
          expect(Number(seconds(next)) * 1000).toBeGreaterThanOrEqual(wait);
          expect(Number(seconds(next)) * 1000).toBeLessThanOrEqual(wait * 1.2 + 1);
        }
      }),
    );
  });
});

describe('retryAfterMs', () => {
  it.each([
    ['0', 0],
    [' 7 ', 7000],
    ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
    ['Thursday, 01-Jan-26 00:00:10 GMT', 10_000],
    ['Thu Jan  1 00:00:10 2026', 10_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', null],
    ['-1', null],
    ['5.5', null],
    ['', null],
    [undefined, null],
    ['2030', 2_030_000],
    ['Abc, nonsense', null],
  ])('%j requests %s', (value, expected) => {
    expect(retryAfterMs(value, now)).toBe(expected);
  });
});

describe('isWorthRepeating', () => {
  it('is true for an unknown outcome and false for success', () => {
    expect([null, 200, 299].map(isWorthRepeating)).toEqual([true, false, false]);
  });
});
