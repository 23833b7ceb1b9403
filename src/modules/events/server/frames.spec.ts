import { describe, expect, it } from '@jest/globals';
import { frameRanges } from './frames.js';

describe('frameRanges', () => {
  it('joins neighbouring frames', () => {
    expect(frameRanges([7, 1, 0, 2, 1])).toBe('{[0,3),[7,8)}');
  });

  it('counts numbers whose range PostgreSQL cannot store as the last frame', () => {
    expect(frameRanges([2 ** 31 - 1, 2 ** 31 - 2, 2 ** 40])).toBe('{[2147483646,2147483647)}');
  });

  it('has no text for no frames', () => {
    expect(frameRanges([])).toBeNull();
  });
});
