import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { MediaError } from './media-error.js';
import { tiffPages, writeTiffPages } from './tiff.js';

interface Kind {
  readonly little: boolean;
  /** BigTIFF: 64-bit offsets. */
  readonly big: boolean;
}

const CLASSIC: Kind = { little: true, big: false };
const SIDE = 4;

/** Grey pages of 4 × 4 pixels, each with its own value. */
function greyPages(values: readonly number[], { little, big }: Kind = CLASSIC): Buffer {
  const [countBytes, entryBytes, offsetBytes] = big ? [8, 20, 8] : [2, 12, 4];
  const first = big ? 16 : 8;
  const length = countBytes + 9 * entryBytes + offsetBytes + SIDE * SIDE;
  const file = Buffer.alloc(first + values.length * length);
  const put = (value: number, at: number, bytes: number): void => {
    if (bytes === 8)
      void (little ? file.writeBigUInt64LE(BigInt(value), at) : file.writeBigUInt64BE(BigInt(value), at));
    else void (little ? file.writeUIntLE(value, at, bytes) : file.writeUIntBE(value, at, bytes));
  };
  file.write(little ? 'II' : 'MM', 'latin1');
  put(big ? 43 : 42, 2, 2);
  if (big) put(8, 4, 2);
  put(first, offsetBytes, offsetBytes);
  for (const [page, value] of values.entries()) {
    const at = first + page * length;
    const pixels = at + length - SIDE * SIDE;
    put(9, at, countBytes);
    const tags = [[256, SIDE], [257, SIDE], [258, 8], [259, 1], [262, 1], [273, pixels], [277, 1], [278, SIDE], [279, 16]] as const; // prettier-ignore
    for (const [index, [tag, number]] of tags.entries()) {
      const entry = at + countBytes + index * entryBytes;
      put(tag, entry, 2);
      put(4, entry + 2, 2);
      put(1, entry + 4, offsetBytes);
      put(number, entry + entryBytes - offsetBytes, 4);
    }
    put(page === values.length - 1 ? 0 : at + length, pixels - offsetBytes, offsetBytes);
    file.fill(value, pixels, pixels + SIDE * SIDE);
  }
  return file;
}

describe('tiffPages and writeTiffPages', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-tiff-'));
    path = join(folder, 'pages.tif');
    await mkdir(join(folder, 'out'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const target = (page: number): string => join(folder, 'out', `${page}.tif`);
  const options = () => ({ limits: { maxPixels: 1_000_000 }, scratch: join(folder, 'scratch'), maxBytes: 10_000_000 });
  const split = async (pages: readonly number[], more = {}, progress = {}): Promise<number> => {
    const targets = pages.map((page) => ({ page, target: target(page) }));
    return writeTiffPages(path, 'pages.tif', targets, { ...options(), ...more }, progress);
  };
  const grey = async (page: number): Promise<number | undefined> => (await sharp(target(page)).raw().toBuffer())[0];

  it.each([
    ['little-endian', CLASSIC],
    ['big-endian', { little: false, big: false }],
    ['BigTIFF', { little: true, big: true }],
    ['big-endian BigTIFF', { little: false, big: true }],
  ])('write pages from a %s file one by one without modifying it', async (_, kind) => {
    const content = greyPages([10, 20, 30, 40], kind);
    await writeFile(path, content);
    const pages = await tiffPages(path, 'pages.tif');
    expect(pages).toEqual([0, 1, 2, 3]);
    const told: number[] = [];
    await split([3, 1, 0], {}, { onProgress: (done: number) => told.push(done) });
    expect(await Promise.all([3, 1, 0].map(grey))).toEqual([40, 20, 10]);
    expect(told).toEqual([1 / 3, 2 / 3, 1]);
    expect((await sharp(target(3)).metadata()).pages).toBe(1);
    expect(await readFile(path)).toEqual(content);
  });

  // The decoder alone scans all directories twice per page, which would exceed the test's timeout.
  it('take the same time per page regardless of the number of pages', async () => {
    const values = Array.from({ length: 20_000 }, (_, page) => page % 256);
    await writeFile(path, greyPages(values));
    expect(await tiffPages(path, 'pages.tif')).toHaveLength(20_000);
    await split(Array.from({ length: 400 }, (_, page) => page * 50));
    expect(await Promise.all([50, 10_000, 19_950].map(grey))).toEqual([50, 16, 238]);
  });

  it('limit the total size of the pages', async () => {
    await writeFile(path, greyPages([1, 2, 3]));
    await expect(split([0, 1, 2], { maxBytes: 300 })).rejects.toThrow(
      new MediaError("ValueError: The pages of 'pages.tif' take more than 300 bytes"),
    );
  });

  it('stop when cancelled', async () => {
    await writeFile(path, greyPages([1, 2, 3]));
    const stopping = new AbortController();
    const onProgress = (): void => stopping.abort(new Error('cancelled'));
    await expect(split([0, 1, 2], {}, { signal: stopping.signal, onProgress })).rejects.toThrow('cancelled');
    await expect(readFile(target(1))).rejects.toThrow('ENOENT');
  });

  it('reject directories that overlap each other', async () => {
    const file = Buffer.alloc(1100);
    file.write('II*\0', 'latin1');
    file.writeUInt32LE(8, 4);
    file.writeUInt16LE(90, 8); // the first directory ends at 1094, and refers to the second one
    file.writeUInt32LE(20, 1090);
    file.writeUInt16LE(80, 20);
    await writeFile(path, file);
    await expect(tiffPages(path, 'a.tif')).rejects.toThrow(MediaError);
  });

  it('reject directories that form a cycle or are missing', async () => {
    const circle = greyPages([1]);
    circle.writeUInt32LE(8, 8 + 2 + 9 * 12);
    await writeFile(path, circle);
    await expect(tiffPages(path, 'pages.tif')).rejects.toBeInstanceOf(MediaError);
    const far = greyPages([1], { little: true, big: true });
    far.writeBigUInt64LE(2n ** 63n, 8);
    await writeFile(path, far);
    await expect(tiffPages(path, 'pages.tif')).rejects.toBeInstanceOf(MediaError);
    await writeFile(path, greyPages([1, 2]));
    await expect(split([2])).rejects.toBeInstanceOf(MediaError);
  });
});
