import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Spool } from './spool.js';

describe('Spool', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-spool-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('returns everything that was added, in order, and then removes its file', async () => {
    const path = join(folder, 'spool');
    const texts = Array.from({ length: 3_000 }, (_, at) => `${at}: ${'ä€😀'.repeat(10)}\n`);
    const spool = await Spool.open(path);
    for (const text of texts) await spool.add(text);
    let read = '';
    for await (const piece of spool.read()) read += piece;
    await spool.close();
    expect(read).toBe(texts.join(''));
    expect(existsSync(path)).toBe(false);
  });

  it('closes its file if it is not read to the end', async () => {
    const path = join(folder, 'spool');
    const spool = await Spool.open(path);
    await spool.add('a'.repeat(500_000));
    for await (const piece of spool.read()) {
      expect(piece[0]).toBe('a');
      break;
    }
    await spool.close();
    expect(existsSync(path)).toBe(false);
  });
});
