import { describe, expect, it } from '@jest/globals';
import { isLate, waitingTime } from './waiting';

describe('waitingTime', () => {
  it.each([
    [null, '–'],
    [0.2, 'less than a second'],
    [1.9, '1 second'],
    [119, '119 seconds'],
    [150, '2 minutes'],
    [7200, '2 hours'],
    [200_000, '2 days'],
  ])('of %p is %s', (seconds, text) => {
    expect(waitingTime(seconds)).toBe(text);
  });
});

it('what waits for more than a minute is late', () => {
  expect([null, 60, 61].map(isLate)).toEqual([false, false, true]);
});
