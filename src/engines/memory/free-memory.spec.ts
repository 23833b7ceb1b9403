import { describe, expect, it } from '@jest/globals';
import { freeMemory } from './free-memory.js';

const MEGABYTE = 2 ** 20;

describe('freeMemory', () => {
  it('releases memory before garbage collection', () => {
    const parts = Array.from({ length: 64 }, () => Buffer.from(new ArrayBuffer(MEGABYTE)));
    const before = process.memoryUsage().arrayBuffers;
    parts.forEach(freeMemory);
    expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThanOrEqual(parts.length * MEGABYTE);
    expect(parts.map(({ length }) => length)).toEqual(parts.map(() => 0));
    for (const part of parts) expect(() => freeMemory(part)).not.toThrow();
  });

  it('keeps memory that is shared', () => {
    const shared = Buffer.from(new ArrayBuffer(10)).fill('x');
    for (const part of [shared.subarray(0, 5), shared.subarray(5), Buffer.from('short')]) freeMemory(part);
    expect(shared.toString()).toBe('xxxxxxxxxx');
    expect(Buffer.from('short').toString()).toBe('short');
  });
});
