import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deferred } from '../../../test/support/promises.js';
import { ChunkCache } from './chunk-cache.js';
import { chunkChecksum } from './chunks.js';
import { MediaStorageFull } from './media-error.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chunk-cache-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (maxBytes = 1000) => new ChunkCache({ folder, maxBytes });
const never = () => Promise.reject(new Error('made again'));
const filled = (bytes: number) => () => Promise.resolve(Buffer.alloc(bytes, 1));

describe('ChunkCache', () => {
  it('creates a chunk once, then reads it', async () => {
    const cache = open();
    expect(await cache.getOrCreate('1/c/0', filled(10))).toEqual(Buffer.alloc(10, 1));
    expect(await cache.getOrCreate('1/c/0', never)).toEqual(Buffer.alloc(10, 1));
    expect(await readdir(folder)).toEqual(['1%2Fc%2F0.chunk']);
    expect(cache.size).toBe(10);
  });

  it('recovers when its folder is removed', async () => {
    const cache = open();
    await cache.getOrCreate('a', filled(10));
    await rm(folder, { recursive: true });
    expect(await cache.getOrCreate('b', filled(20))).toHaveLength(20);
    expect(cache.size).toBe(20);
    await rm(folder, { recursive: true });
    await cache.put('b', async (file) => writeFile(file, 'made').then(() => 4));
    expect(String(await cache.getOrCreate('b', never))).toBe('made');
    await rm(folder, { recursive: true });
    await cache.deletePrefix('b');
    expect(await cache.getOrCreate('b', filled(30))).toHaveLength(30);
  });

  it('creates a chunk once for concurrent requests', async () => {
    const cache = open();
    const { promise, resolve } = deferred<Buffer>();
    const asked = [cache.getOrCreate('a', () => promise), cache.getOrCreate('a', never), cache.getOrCreate('a', never)];
    resolve(Buffer.from('made'));
    expect((await Promise.all(asked)).map(String)).toEqual(['made', 'made', 'made']);
  });

  it('frees a chunk that it read once all users have released it', async () => {
    const cache = open();
    await cache.getOrCreate('a', filled(10));
    const [first, second] = await Promise.all([cache.getOrCreate('a', never), cache.getOrCreate('a', never)]);
    cache.release(first);
    expect(second).toEqual(Buffer.alloc(10, 1));
    cache.release(second);
    expect(second).toHaveLength(0);
    expect(await cache.getOrCreate('a', never)).toEqual(Buffer.alloc(10, 1));
  });

  it('does not free chunks that were passed in', async () => {
    const cache = open();
    const chunk = Buffer.alloc(10, 1);
    cache.release(await cache.getOrCreate('a', () => Promise.resolve(chunk)));
    expect(chunk).toHaveLength(10);
  });

  it('keeps a file that is put once, unless it is larger than the cache', async () => {
    const cache = open(30);
    const write = (bytes: number) => async (file: string) => {
      await writeFile(file, Buffer.alloc(bytes, 1));
      return bytes;
    };
    await cache.put('a', write(10));
    await cache.put('a', never);
    await cache.put('large', write(31));
    expect(await cache.getOrCreate('a', never)).toHaveLength(10);
    await expect(cache.put('b', never)).rejects.toThrow('made again');
    await expect(cache.put('b', () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })))).rejects.toThrow(MediaStorageFull); // prettier-ignore
    expect(await readdir(folder)).toEqual(['a.chunk']);
    expect(cache.size).toBe(10);
  });

  it('does not cache errors', async () => {
    const cache = open();
    await expect(cache.getOrCreate('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await cache.getOrCreate('a', filled(1))).toHaveLength(1);
  });

  it('evicts the least recently used chunk first', async () => {
    const cache = open(30);
    for (const key of ['a', 'b', 'c']) await cache.getOrCreate(key, filled(10));
    await cache.getOrCreate('a', never);
    await cache.getOrCreate('d', filled(10));
    expect((await readdir(folder)).toSorted()).toEqual(['a.chunk', 'c.chunk', 'd.chunk']);
    expect(cache.size).toBe(30);
  });

  it('stays within its limit when chunks are written concurrently', async () => {
    const cache = new ChunkCache({ folder, maxBytes: 30, concurrentBuilds: 8 });
    await Promise.all(Array.from({ length: 8 }, (_, at) => cache.getOrCreate(`k${at}`, filled(10))));
    await cache.getOrCreate('last', filled(10));
    expect(cache.size).toBeLessThanOrEqual(30);
    expect(await readdir(folder)).toHaveLength(cache.size / 10);
  });

  it('returns chunks that are too large to be kept', async () => {
    const cache = open(5);
    expect(await cache.getOrCreate('a', filled(10))).toHaveLength(10);
    expect(await readdir(folder)).toEqual([]);
  });

  it('keeps a chunk written to its file', async () => {
    const cache = open();
    const write = async (file: string): Promise<'written'> => {
      await writeFile(file, 'made');
      return 'written';
    };
    expect(String(await cache.getOrCreate('a', write))).toBe('made');
    expect(await readdir(folder)).toEqual(['a.chunk']);
    expect(cache.size).toBe(4);
    await expect(cache.getOrCreate('b', async (file) => { await write(file); throw new Error('no'); })).rejects.toThrow('no'); // prettier-ignore
    expect(String(await open(3).getOrCreate('c', write))).toBe('made');
    expect(await readdir(folder)).toEqual([]);
  });

  it('deletes a chunk', async () => {
    const cache = open();
    for (const key of ['a', 'b']) await cache.getOrCreate(key, filled(10));
    await cache.delete('a');
    await cache.delete('never there');
    expect(await readdir(folder)).toEqual(['b.chunk']);
    expect(cache.size).toBe(10);
  });

  it('limits concurrent builds', async () => {
    const cache = new ChunkCache({ folder, maxBytes: 1000, concurrentBuilds: 2 });
    let running = 0;
    let most = 0;
    const make = async () => {
      most = Math.max(most, ++running);
      for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next));
      running--;
      return Buffer.from('made');
    };
    await Promise.all(Array.from({ length: 6 }, (_, at) => cache.getOrCreate(`k${at}`, make)));
    expect(most).toBe(2);
  });

  it('finds chunks of an earlier run, evicts the oldest first, and leaves foreign files', async () => {
    for (const [at, name] of ['old.chunk', 'new.chunk', 'dead.chunk-part', 'foreign.txt'].entries()) {
      await writeFile(join(folder, name), Buffer.alloc(10));
      await utimes(join(folder, name), 1000 + at, name === 'dead.chunk-part' ? 1 : 1000 + at);
    }
    const cache = open(20);
    expect(await cache.getOrCreate('new', never)).toHaveLength(10);
    expect((await readdir(folder)).toSorted()).toEqual(['foreign.txt', 'new.chunk', 'old.chunk']);
    await cache.getOrCreate('next', filled(10));
    expect((await readdir(folder)).toSorted()).toEqual(['foreign.txt', 'new.chunk', 'next.chunk']);
  });

  it('counts the chunks of other processes in the same folder', async () => {
    const caches = [open(160), open(160)];
    for (let number = 0; number < 64; number += 1) await caches[number % 2]?.getOrCreate(`chunk ${number}`, filled(10));
    const kept = await readdir(folder);
    expect(kept.length).toBeLessThanOrEqual(16 + 2);
    expect(kept).toContain('chunk%2063.chunk');
  });

  it('recreates a chunk whose file was deleted', async () => {
    const cache = open();
    await cache.getOrCreate('a', filled(10));
    await rm(join(folder, 'a.chunk'));
    expect(await cache.getOrCreate('a', filled(20))).toHaveLength(20);
    expect(cache.size).toBe(20);
  });

  it('deletes by key prefix', async () => {
    const cache = open();
    for (const key of ['1/a', '1/b', '11/a']) await cache.getOrCreate(key, filled(10));
    await cache.deletePrefix('1/');
    expect(await readdir(folder)).toEqual(['11%2Fa.chunk']);
    expect(cache.size).toBe(10);
  });

  it('does not keep a chunk that was deleted during its creation', async () => {
    const cache = open();
    const { promise, resolve } = deferred<Buffer>();
    const begun = deferred<void>();
    const stale = cache.getOrCreate('1/a', () => (begun.resolve(), promise));
    await begun.promise;
    await cache.deletePrefix('1/');
    const fresh = await cache.getOrCreate('1/a', () => Promise.resolve(Buffer.from('fresh')));
    resolve(Buffer.from('stale'));
    expect([String(await stale), String(fresh)]).toEqual(['stale', 'fresh']);
    expect(await readFile(join(folder, '1%2Fa.chunk'), 'utf8')).toBe('fresh');
  });

  it('reports a full disk', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    await expect(open().getOrCreate('a', () => Promise.reject(full))).rejects.toThrow(MediaStorageFull);
  });

  it('rejects a key that cannot be a file name', async () => {
    await expect(open().getOrCreate('k'.repeat(300), never)).rejects.toThrow(RangeError);
  });
});

describe('chunkChecksum', () => {
  it('covers the length and the first 1000 bytes', () => {
    const chunk = Buffer.alloc(2000, 7);
    const changedLate = Buffer.from(chunk).fill(8, 1000);
    const changedEarly = Buffer.from(chunk).fill(8, 999, 1000);
    expect(chunkChecksum(chunk)).toBe(chunkChecksum(changedLate));
    expect(chunkChecksum(chunk)).not.toBe(chunkChecksum(changedEarly));
    expect(chunkChecksum(chunk)).not.toBe(chunkChecksum(chunk.subarray(1)));
  });

  it('equals zlib.crc32(b"abc", zlib.crc32(b"3")) in Python', () => {
    expect(chunkChecksum(Buffer.from('abc'))).toBe('163516547');
  });
});
