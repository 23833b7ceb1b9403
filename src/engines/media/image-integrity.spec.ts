import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { probeWholeImage } from './image-integrity.js';
import { sharp } from './libvips.js';

const formats = ['jpeg', 'png', 'webp', 'tiff', 'gif', 'avif'] as const;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-whole-'));
});
afterAll(() => rm(folder, { recursive: true }));

const picture = (format: (typeof formats)[number]) =>
  sharp({ create: { width: 300, height: 200, channels: 3, background: 'red', noise: { type: 'gaussian', sigma: 40 } } })
    .toFormat(format)
    .toBuffer();

async function check(name: string, content: Buffer): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, content);
  await probeWholeImage(path, name);
}

describe('probeWholeImage', () => {
  it.each(formats)('%s: accepts a complete file, even with padding, and names a truncated one', async (format) => {
    const file = await picture(format);
    await expect(check(`whole.${format}`, file)).resolves.toBeUndefined();
    await expect(check(`padded.${format}`, Buffer.concat([file, Buffer.alloc(9000)]))).resolves.toBeUndefined();
    await expect(check(`cut.${format}`, file.subarray(0, file.length * 0.6))).rejects.toThrow(`'cut.${format}'`);
  });

  it.each([
    ['baseline', { progressive: false }, 2],
    ['progressive', { progressive: true }, 2],
    ['baseline', { progressive: false }, 1],
  ])('accepts a %s JPEG (%j) that lacks %i bytes of its end marker', async (_, options, missing) => {
    const whole = await sharp(await picture('png'))
      .jpeg(options)
      .toBuffer();
    await expect(check('end.jpg', whole.subarray(0, -missing))).resolves.toBeUndefined();
  });

  it.each(formats)('says that a truncated %s is truncated', async (format) => {
    const file = await picture(format);
    for (const length of [file.length - 500, file.length / 2, 60])
      await expect(check('cut', file.subarray(0, length))).rejects.toThrow("image file 'cut' is truncated");
  });

  it('says that a JPEG is truncated whose thumbnail has an end marker', async () => {
    const thumbnail = Buffer.concat([Buffer.of(0xff, 0xe1, 0, 8), Buffer.from('Exif'), Buffer.of(0xff, 0xd9)]);
    const file = await picture('jpeg');
    const cut = Buffer.concat([file.subarray(0, 2), thumbnail, file.subarray(2, 2000)]);
    await expect(check('cut.jpg', cut)).rejects.toThrow("'cut.jpg' is truncated");
  });

  it('names a PNG with a missing chunk', async () => {
    const png = await picture('png');
    for (const missing of [1, 50, 10_000]) {
      const cut = Buffer.concat([png.subarray(0, png.length - 20 - missing), png.subarray(png.length - 20)]);
      await expect(check('middle.png', cut)).rejects.toThrow("'middle.png'");
    }
  });

  it('accepts a PNG with very many empty chunks', async () => {
    const png = await picture('png');
    const empty = Buffer.from('00000000744553740faba43e', 'hex'); // tESt
    const chunks = Buffer.concat(Array.from({ length: 300_000 }, () => empty));
    const end = png.length - 12;
    const long = Buffer.concat([png.subarray(0, end), chunks, png.subarray(end)]);
    await expect(check('long.png', long)).resolves.toBeUndefined();
  });

  it('names a bitmap that is shorter than declared', async () => {
    const bmp = Buffer.alloc(54 + 32 * 4);
    bmp.write('BM');
    bmp.writeUInt32LE(bmp.length, 2);
    bmp.writeUInt32LE(54, 10);
    bmp.writeUInt32LE(40, 14);
    bmp.writeInt32LE(10, 18);
    bmp.writeInt32LE(4, 22);
    bmp.writeUInt16LE(1, 26);
    bmp.writeUInt16LE(24, 28);
    await expect(check('whole.bmp', bmp)).resolves.toBeUndefined();
    await expect(check('cut.bmp', bmp.subarray(0, 100))).rejects.toThrow("'cut.bmp'");
  });
});
