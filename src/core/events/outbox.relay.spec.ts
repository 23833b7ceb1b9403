import { describe, expect, it } from '@jest/globals';
import { nextLimit } from './outbox.relay.js';

describe('nextLimit', () => {
  it('grows while many short events wait, up to four times what it began with', () => {
    expect(nextLimit(500, 500, 1e6)).toBe(1000);
    expect(nextLimit(1000, 1000, 2e6)).toBe(2000);
    expect(nextLimit(2000, 2000, 5e6)).toBe(2000);
  });

  it('stays when twice as many would be too long, and falls when a batch was', () => {
    expect(nextLimit(1000, 1000, 5e6)).toBe(1000);
    expect(nextLimit(1000, 1000, 9e6)).toBe(500);
    expect(nextLimit(500, 500, 9e6)).toBe(250);
    expect(nextLimit(1, 1, 9e6)).toBe(1);
  });

  it('goes back to where it began when nothing is left', () => {
    expect(nextLimit(2000, 7, 1e4)).toBe(500);
    expect(nextLimit(500, 0, 0)).toBe(500);
    expect(nextLimit(1, 0, 0)).toBe(2);
  });
});
