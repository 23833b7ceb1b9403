import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { firstPage } from './first-page.js';
import { encodeCompressedFrame } from './image-encode.js';
import { probeWholeImage } from './image-integrity.js';

const SIDE = 4;

/** An animation or a multi-page image, with a single colour per frame. */
async function stacked(reds: readonly number[], format: 'webp' | 'tiff' | 'gif'): Promise<Buffer> {
  const pages = reds.map((red) => Buffer.from(Array.from({ length: SIDE * SIDE }, () => [red, 60, 30]).flat()));
  const raw = { width: SIDE, height: SIDE * reds.length, channels: 3, pageHeight: SIDE } as const;
  return sharp(Buffer.concat(pages), { raw }).toFormat(format, { lossless: true }).toBuffer();
}

/** The animation with a damaged last frame, which fails every decoder that reads so far. */
function damaged(webp: Buffer): Buffer {
  const copy = Buffer.from(webp);
  return copy.fill(0xff, webp.lastIndexOf('ANMF') + 16);
}

const pagesOf = async (file: Buffer): Promise<number> => (await sharp(file).metadata()).pages ?? 1;

describe('firstPage', () => {
  it.each(['webp', 'tiff'] as const)(
    'returns the first page of a %s unchanged, and does not modify the file',
    async (format) => {
      const file = await stacked([20, 60, 100], format);
      const copy = Buffer.from(file);
      const first = firstPage(file);
      expect([await pagesOf(file), await pagesOf(first)]).toEqual([3, 1]);
      expect(await sharp(first).raw().toBuffer()).toEqual(await sharp(file).raw().toBuffer());
      expect(file).toEqual(copy);
    },
  );

  it('returns the first frame of a WebP of very many empty frames', async () => {
    const file = await stacked([20, 60], 'webp');
    const empty = Buffer.from('ANMF\0\0\0\0');
    const long = Buffer.concat([file, ...Array.from({ length: 500_000 }, () => empty)]);
    const first = firstPage(long);
    expect(first.equals(firstPage(file))).toBe(true);
  });

  it('returns an image with a single page itself', async () => {
    for (const format of ['webp', 'tiff', 'gif'] as const) {
      const file = await stacked([20], format);
      expect(firstPage(file)).toBe(file);
    }
    for (const cut of [3, 9, 14, 20]) {
      const file = (await stacked([20, 60], 'webp')).subarray(0, cut);
      expect(firstPage(file).length).toBeLessThanOrEqual(cut);
    }
  });

  // Reading all frames of a long animation takes seconds.
  it('keeps decoders from reading more than the first frame', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-first-page-'));
    try {
      const long = damaged(await stacked([20, 60], 'webp'));
      await writeFile(join(folder, 'long.webp'), long);
      await expect(sharp(long).metadata()).rejects.toThrow();
      const limits = { maxPixels: 1_000_000 };
      const size = await probeWholeImage(join(folder, 'long.webp'), 'long.webp', limits);
      expect(size).toMatchObject({ width: SIDE, height: SIDE });
      const frame = await encodeCompressedFrame(long, 'long.webp', { quality: 70 });
      expect(await sharp(frame).metadata()).toMatchObject({ width: SIDE, height: SIDE });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
