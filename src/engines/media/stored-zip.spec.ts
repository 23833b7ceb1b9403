import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ChunkCache } from './chunk-cache.js';
import { ChunkMembers, storedZip } from './stored-zip.js';

let folder: string;
let cache: ChunkCache;
let members: ChunkMembers;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chunk-members-'));
  cache = new ChunkCache({ folder, maxBytes: 1_000_000 });
  members = new ChunkMembers(cache);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const zipOf = (...texts: readonly string[]) =>
  storedZip(texts.map((text, at) => ({ name: `${at}.jpeg`, data: Buffer.from(text) })));
const read = async (number: number): Promise<string | undefined> => {
  const member = await members.read('1/chunk', number);
  return member && `${member.name} ${String(member.data)}`;
};

describe('ChunkMembers', () => {
  it('reads each member of a chunk, repeatedly', async () => {
    await cache.getOrCreate('1/chunk', () => Promise.resolve(zipOf('zero', '', 'the second')));
    for (const _ of [1, 2]) {
      expect(await Promise.all([0, 1, 2, 3, -1].map(read))).toEqual([
        '0.jpeg zero',
        '1.jpeg ',
        '2.jpeg the second',
        undefined,
        undefined,
      ]);
    }
  });

  it('returns nothing for a chunk that does not exist or is not an archive', async () => {
    expect(await read(0)).toBeUndefined();
    for (const content of ['', 'a video', 'x'.repeat(100)]) {
      await writeFile(join(folder, '1%2Fchunk.chunk'), content);
      expect(await read(0)).toBeUndefined();
    }
  });

  it('reads a chunk that was deleted and recreated with other members', async () => {
    for (const texts of [['zero', 'one'], ['longer than before', 'one'], ['a'], ['a', 'b', 'c']]) {
      await cache.getOrCreate('1/chunk', () => Promise.resolve(zipOf(...texts)));
      expect(await Promise.all(texts.map((_, at) => read(at)))).toEqual(texts.map((text, at) => `${at}.jpeg ${text}`));
      expect(await read(texts.length)).toBeUndefined();
      await cache.delete('1/chunk');
      expect(await read(0)).toBeUndefined();
    }
  });

  it('returns each member in memory of its own', async () => {
    await cache.getOrCreate('1/chunk', () => Promise.resolve(zipOf('zero', 'one')));
    const [one, other] = [await members.read('1/chunk', 1), await members.read('1/chunk', 1)];
    expect(one?.memory.buffer).toBe(one?.data.buffer);
    expect(one?.memory.length).toBe(one?.memory.buffer.byteLength);
    expect(one?.data.buffer).not.toBe(other?.data.buffer);
  });

  it('counts as a use of the chunk', async () => {
    const small = new ChunkCache({ folder, maxBytes: 2 * zipOf('x').length });
    const readers = new ChunkMembers(small);
    for (const key of ['a', 'b']) await small.getOrCreate(key, () => Promise.resolve(zipOf(key)));
    expect(String((await readers.read('a', 0))?.data)).toBe('a');
    await small.getOrCreate('c', () => Promise.resolve(zipOf('c')));
    expect([small.has('a'), small.has('b')]).toEqual([true, false]);
  });
});
