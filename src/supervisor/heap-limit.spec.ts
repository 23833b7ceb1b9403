import { describe, expect, it } from '@jest/globals';
import { hasOwnHeapLimit, heapLimitMb } from './heap-limit.js';

const GB = 2 ** 30;

describe('the heap limit of each process of a group', () => {
  it.each([
    [2, 16, 4, null],
    [9, 16, 4, 1092],
    [4, 2, 1, 307],
    [64, 4, 2, 256],
  ])('of %i on %i GB, where one process may use %i GB, is %j MB', (processes, memory, heapLimit, expected) => {
    expect(heapLimitMb(processes, { memory: memory * GB, heapLimit: heapLimit * GB })).toBe(expected);
  });

  it('is left alone if it is set', () => {
    expect(hasOwnHeapLimit(['--max-old-space-size=512'])).toBe(true);
    expect(hasOwnHeapLimit([], '--trace-warnings --max_old_space_size=512')).toBe(true);
    expect(hasOwnHeapLimit(['--max-semi-space-size=64'])).toBe(false);
  });
});
