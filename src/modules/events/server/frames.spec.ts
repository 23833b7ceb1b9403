import { describe, expect, it } from '@jest/globals';
import { frameRanges } from './frames.js';

describe('frameRanges', () => {
  it('joins neighbouring frames, in any order', () => {
    expect(frameRanges([7, 2, 0, 1, 1])).toBe('{[0,3),[7,8)}');
  });

  it('is null without frames', () => {
    expect(frameRanges([])).toBeNull();
  });

  it('counts numbers whose range PostgreSQL cannot store as the largest', () => {
    expect(frameRanges([2 ** 31 - 1, 2 ** 31 - 2, 2 ** 40])).toBe('{[2147483646,2147483647)}');
  });
});
