import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { collectGarbage, freeMemory, readWholeFile } from './memory.js';

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

describe('collectGarbage', () => {
  it('frees memory that nothing refers to', async () => {
    const dropped = new WeakRef({ size: 'large' });
    await collectGarbage();
    expect(dropped.deref()).toBeUndefined();
  });
});

describe('readWholeFile', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'read-whole-'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('returns all bytes in memory of their own', async () => {
    for (const length of [0, 1, 3_000_001]) {
      const content = randomBytes(length);
      await writeFile(join(folder, 'file'), content);
      const found = await readWholeFile(join(folder, 'file'));
      expect(found.equals(content)).toBe(true);
      expect(found.buffer.byteLength).toBe(length);
    }
  });

  it('fails for a missing file', async () => {
    await expect(readWholeFile(join(folder, 'nothing'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
