import { describe, expect, it } from '@jest/globals';
import { nextLimit } from './outbox.relay.js';

describe('nextLimit', () => {
  it('grows with a backlog of short events, up to four times its initial value', () => {
    expect(nextLimit(500, 500, 1e6)).toBe(1000);
    expect(nextLimit(1000, 1000, 2e6)).toBe(2000);
    expect(nextLimit(2000, 2000, 5e6)).toBe(2000);
  });

  it('stays if twice as many would be too long, and falls after a batch that was', () => {
    expect(nextLimit(1000, 1000, 5e6)).toBe(1000);
    expect(nextLimit(1000, 1000, 9e6)).toBe(500);
    expect(nextLimit(500, 500, 9e6)).toBe(250);
    expect(nextLimit(1, 1, 9e6)).toBe(1);
  });

  it('returns to its initial value when nothing is pending', () => {
    expect(nextLimit(2000, 7, 1e4)).toBe(500);
    expect(nextLimit(500, 0, 0)).toBe(500);
    expect(nextLimit(1, 0, 0)).toBe(2);
  });
});
