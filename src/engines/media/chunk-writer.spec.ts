import { describe, expect, it } from '@jest/globals';
import { fromBufferPromise } from 'yauzl';
import pLimit from 'p-limit';
import { buildImageChunk } from './chunk-writer.js';
import { mapBounded } from '../concurrency/concurrency.js';
import { probeImage } from './image-probe.js';
import { sharp } from './libvips.js';
import { storedZip } from './stored-zip.js';

async function members(zip: Buffer): Promise<{ name: string; stored: boolean; data: Buffer }[]> {
  const archive = await fromBufferPromise(zip, { lazyEntries: true });
  const found = [];
  for await (const entry of archive.eachEntry()) {
    const parts: Buffer[] = [];
    for await (const part of await archive.openReadStreamPromise(entry)) parts.push(part as Buffer);
    found.push({ name: entry.fileName, stored: entry.compressionMethod === 0, data: Buffer.concat(parts) });
  }
  return found;
}

const png = (width: number) =>
  sharp({ create: { width, height: 5, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
const frame = (name: string, file: Promise<Buffer>) => ({ name, read: () => file });
const compressed = { quality: 'compressed', imageQuality: 70 } as const;
const original = { quality: 'original', imageQuality: 70 } as const;

describe('buildImageChunk', () => {
  it('numbers compressed frames in order, stored', async () => {
    const frames = Array.from({ length: 12 }, (_, at) => frame(`${at}.png`, png(at + 1)));
    const found = await members(await buildImageChunk(frames, compressed));
    expect(found.map(({ name }) => name)).toEqual(frames.map((_, at) => `${String(at).padStart(6, '0')}.jpeg`));
    expect(found.every(({ stored }) => stored)).toBe(true);
    const widths = await Promise.all(found.map(async ({ data }) => (await probeImage(data, 'x')).width));
    expect(widths).toEqual(frames.map((_, at) => at + 1));
  });

  it('keeps bytes and extensions of originals', async () => {
    const file = await png(3);
    const found = await members(await buildImageChunk([frame('d/a.PNG', png(3)), null], original));
    expect(found.map(({ name }) => name)).toEqual(['000000.PNG', '000001.jpeg']);
    expect(found[0]?.data).toEqual(file);
    expect(await probeImage(found[1]?.data ?? Buffer.alloc(0), 'x')).toMatchObject({ width: 1, height: 1 });
  });

  it('is deterministic', async () => {
    const frames = [frame('a.png', png(3))];
    expect(await buildImageChunk(frames, compressed)).toEqual(await buildImageChunk(frames, compressed));
  });

  it('names the broken frame', async () => {
    const frames = [frame('good.png', png(3)), frame('bad.png', Promise.resolve(Buffer.from('no')))];
    await expect(buildImageChunk(frames, compressed)).rejects.toThrow("cannot identify image file 'bad.png'");
  });

  it('limits the size', async () => {
    await expect(buildImageChunk([frame('a.png', png(3))], { ...original, maxBytes: 10 })).rejects.toThrow(
      /larger than 10 bytes/,
    );
  });
});

describe('storedZip', () => {
  it('can be read back with non-ASCII names and empty members', async () => {
    const entries = [
      { name: 'ü/😀.txt', data: Buffer.from('one') },
      { name: 'empty', data: Buffer.alloc(0) },
    ];
    const found = await members(storedZip(entries));
    expect(found).toEqual(entries.map((entry) => ({ ...entry, stored: true })));
  });

  it('accepts no members', async () => expect(await members(storedZip([]))).toEqual([]));
});

describe('mapBounded', () => {
  it('keeps the order and limits concurrency', async () => {
    let running = 0;
    let most = 0;
    const results = await mapBounded([5, 1, 4, 2, 3], 2, async (value) => {
      most = Math.max(most, ++running);
      for (let i = 0; i < value; i++) await Promise.resolve();
      running--;
      return value * 2;
    });
    expect(results).toEqual([10, 2, 8, 4, 6]);
    expect(most).toBe(2);
  });

  it('starts nothing after a failure', async () => {
    const begun: number[] = [];
    const work = async (value: number) => {
      begun.push(value);
      throw new Error(`no ${value}`);
    };
    await expect(mapBounded([1, 2, 3], 1, work)).rejects.toThrow('no 1');
    expect(begun).toEqual([1]);
  });
});

describe('pLimit', () => {
  it('starts the next call when one settles, even after a failure', async () => {
    const limited = pLimit(1);
    const order: string[] = [];
    const first = limited(async () => {
      order.push('first');
      throw new Error('first failed');
    });
    const second = limited(async () => order.push('second'));
    await expect(first).rejects.toThrow('first failed');
    await second;
    expect(order).toEqual(['first', 'second']);
  });
});
