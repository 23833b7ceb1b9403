import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readWholeFile } from './free-memory.js';

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
