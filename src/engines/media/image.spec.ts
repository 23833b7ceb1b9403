import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { bareTiff } from '../../../test/support/documents.js';
import { encodeCompressedFrame, encodePreview, originalFrame } from './image-encode.js';
import { probeImage } from './image-probe.js';
import { splitProfile } from './jpeg/header.js';
import { sharp } from './libvips.js';
import { bmp } from './raster.js';

const flat = (width: number, height: number, background = '#c81e0a') =>
  sharp({ create: { width, height, channels: 3, background } });
const turned = (format: 'jpeg' | 'png' | 'webp' | 'tiff') =>
  flat(30, 20).withMetadata({ orientation: 6 }).toFormat(format).toBuffer();
const pixels = async (file: Buffer) => [...(await sharp(file).raw().toBuffer())];
const noisy = () =>
  sharp({
    create: {
      width: 200,
      height: 200,
      channels: 3,
      background: '#000',
      noise: { type: 'gaussian', mean: 128, sigma: 50 },
    },
  });

/** A PNG that declares a huge size and has almost no pixels. */
function pngHeader(width: number, height: number): Buffer {
  const chunk = Buffer.alloc(25);
  chunk.writeUInt32BE(13, 0);
  chunk.write('IHDR', 4);
  chunk.writeUInt32BE(width, 8);
  chunk.writeUInt32BE(height, 12);
  chunk.set([8, 2, 0, 0, 0], 16);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 21)), 21);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk,
    Buffer.from([0, 0, 0, 0]),
    Buffer.from('IDAT'),
  ]);
}

/** BMP of 2×2: red, green / blue, white. */
function smallBmp(): Buffer {
  const file = Buffer.alloc(54 + 16);
  file.write('BM');
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(2, 18);
  file.writeInt32LE(2, 22);
  file.writeUInt16LE(24, 28);
  file.set([255, 0, 0, 255, 255, 255], 54);
  file.set([0, 0, 255, 0, 255, 0], 62);
  return file;
}

const broken = (name: string) => `PIL.UnidentifiedImageError: cannot identify image file '${name}'`;
const unreadable = (name: string) => `OSError: image file '${name}' is truncated, damaged, or of a variant`;

describe('probeImage', () => {
  it.each(['jpeg', 'png', 'webp', 'tiff', 'gif', 'avif'] as const)('reads %s', async (format) => {
    const file = await flat(30, 20).toFormat(format).toBuffer();
    await expect(probeImage(file, 'a.x')).resolves.toMatchObject({ width: 30, height: 20, turned: false });
  });

  it('returns the size after rotation', async () => {
    expect(await probeImage(await turned('jpeg'), 'a.jpg')).toEqual({
      width: 20,
      height: 30,
      format: 'jpeg',
      turned: true,
    });
  });

  it('reads bitmaps and portable pixmaps', async () => {
    expect(await probeImage(smallBmp(), 'a.bmp')).toEqual({ width: 2, height: 2, format: 'bmp', turned: false });
    const pgm = Buffer.from('P5 # made by hand\n3 1\n255\n\0\x80\xff', 'latin1');
    expect(await probeImage(pgm, 'a.pgm')).toMatchObject({ width: 3, height: 1 });
  });

  it.each([
    ['text', Buffer.from('this is not a picture')],
    ['nothing', Buffer.alloc(0)],
    ['a vector image', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
  ])('rejects %s', async (_, file) => {
    await expect(probeImage(file, 'dir/a.jpg')).rejects.toThrow(broken('dir/a.jpg'));
  });

  it.each([
    ['a bitmap', Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)])],
    ['a portable map', Buffer.from('P6 \n')],
    ['a TIFF', Buffer.from('II*\0\x08\0\0\0\x01')],
  ])('rejects the broken header of %s', async (_, file) => {
    await expect(probeImage(file, 'dir/a.jpg')).rejects.toThrow(unreadable('dir/a.jpg'));
  });

  it('rejects more pixels than the limit, by the header alone', async () => {
    await expect(probeImage(pngHeader(100_000, 100_000), 'huge.png')).rejects.toThrow(/'huge.png' has too many pixels/);
    await expect(probeImage(Buffer.from('P5 100000 100000 255\n'), 'huge.pgm')).rejects.toThrow(
      /'huge.pgm' has too many/,
    );
    await expect(probeImage(await flat(30, 20).png().toBuffer(), 'a.png', { maxPixels: 599 })).rejects.toThrow(
      /too many pixels/,
    );
  });

  it('names a missing file', async () => {
    await expect(probeImage('/nowhere/at/all.png', 'all.png')).rejects.toThrow("No such file or directory: 'all.png'");
  });
});

describe('encodeCompressedFrame', () => {
  it('returns an upright JPEG', async () => {
    const info = await probeImage(await encodeCompressedFrame(await turned('png'), 'a.png', { quality: 70 }), 'out');
    expect(info).toEqual({ width: 20, height: 30, format: 'jpeg', turned: false });
  });

  it('applies the quality, including 0', async () => {
    const file = await noisy().png().toBuffer();
    const sizes = await Promise.all(
      [0, 50, 100].map(async (q) => (await encodeCompressedFrame(file, 'a.png', { quality: q })).length),
    );
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  });

  it('drops alpha and keeps the colour under it', async () => {
    const file = await sharp(Buffer.from([250, 200, 100, 0]), { raw: { width: 1, height: 1, channels: 4 } })
      .png()
      .toBuffer();
    const [red = 0, green = 0] = await pixels(await encodeCompressedFrame(file, 'a.png', { quality: 100 }));
    expect(red).toBeGreaterThan(240);
    expect(green).toBeGreaterThan(190);
  });

  it('converts CMYK to RGB', async () => {
    const file = await flat(8, 8).toColourspace('cmyk').jpeg().toBuffer();
    expect((await sharp(await encodeCompressedFrame(file, 'a.jpg', { quality: 90 })).metadata()).space).toBe('srgb');
  });

  describe('of a JPEG with a colour profile', () => {
    const photograph = (name: string) => readFileSync(new URL(`../../../demo/photos/${name}`, import.meta.url));
    /** The pixel values in the file, without applying its profile. */
    const rawPixels = async (file: Buffer) => {
      const { plain } = splitProfile(file) ?? { plain: file };
      return sharp(plain).raw().toBuffer();
    };
    const psnr = (one: Buffer, other: Buffer): number => {
      const errors = one.reduce((sum, value, at) => sum + (value - (other[at] ?? 0)) ** 2, 0);
      return 10 * Math.log10((255 ** 2 * one.length) / errors);
    };

    it('keeps the profile and the matching pixel values', async () => {
      const file = photograph('rocket.jpg');
      const { plain, profile } = splitProfile(file) ?? {};
      if (plain === undefined || profile === undefined) throw new Error('the profile was not found');
      const made = await encodeCompressedFrame(file, 'rocket.jpg', { quality: 70 });
      expect(splitProfile(made)?.profile).toEqual(profile);
      expect((await sharp(made).metadata()).icc).toEqual((await sharp(file).metadata()).icc);
      const theirs = await sharp(plain).jpeg({ quality: 70, optimiseCoding: false }).toBuffer();
      expect(made.length).toBeLessThan(1.05 * theirs.length);
      const pixelsBefore = await rawPixels(file);
      expect(psnr(pixelsBefore, await rawPixels(made))).toBeGreaterThan(
        psnr(pixelsBefore, await rawPixels(theirs)) - 0.1,
      );
    });

    it('omits an sRGB profile, which is the default of JPEG', async () => {
      const made = await encodeCompressedFrame(photograph('hubble-deep-field.jpg'), 'hubble.jpg', { quality: 70 });
      expect((await sharp(made).metadata()).hasProfile).toBe(false);
    });

    it('keeps it without decoding, rotated or not', async () => {
      for (const orientation of [1, 6]) {
        const file = await noisy().withIccProfile('p3').withMetadata({ orientation }).jpeg({ quality: 90 }).toBuffer();
        const made = await encodeCompressedFrame(file, 'a.jpg', { quality: 70 });
        expect((await sharp(made).metadata()).icc).toEqual((await sharp(file).metadata()).icc);
        const upright = await sharp(splitProfile(file)?.plain).autoOrient().raw().toBuffer();
        expect(psnr(upright, await rawPixels(made))).toBeGreaterThan(20);
      }
    });

    it('applies a profile that is large or not RGB', async () => {
      const cmyk = await flat(8, 8).toColourspace('cmyk').withIccProfile('cmyk').jpeg().toBuffer();
      const made = await encodeCompressedFrame(cmyk, 'a.jpg', { quality: 70 });
      expect(await sharp(made).metadata()).toMatchObject({ space: 'srgb', hasProfile: false });
    });
  });

  it('stretches 16-bit grey to its range', async () => {
    const values = Uint16Array.from({ length: 256 }, (_, i) => 1000 + (i >> 4) * 10);
    const file = await sharp(values, { raw: { width: 16, height: 16, channels: 1 } })
      .toColourspace('grey16')
      .png()
      .toBuffer();
    const shown = await sharp(await encodeCompressedFrame(file, 'a.png', { quality: 100 }))
      .greyscale()
      .raw()
      .toBuffer();
    expect(shown[0]).toBeLessThan(10);
    expect(shown[255]).toBeGreaterThan(245);
  });

  it.each([
    ['floating point', Float32Array.of(0, 0.25, 0.5, 1)],
    ['32 bits', Int32Array.of(-1_000_000, -500_000, 0, 1_000_000)],
  ])('stretches grey of %s to its range', async (_, values) => {
    const file = bareTiff({ values, width: 4 });
    const shown = await sharp(await encodeCompressedFrame(file, 'a.tif', { quality: 100 }))
      .greyscale()
      .raw()
      .toBuffer();
    expect(shown[0]).toBeLessThan(10);
    expect(shown[3]).toBeGreaterThan(245);
  });

  it('decodes bitmaps', async () => {
    const shown = await pixels(
      await sharp(await encodeCompressedFrame(smallBmp(), 'a.bmp', { quality: 100 }))
        .png()
        .toBuffer(),
    );
    expect(shown.length).toBe(12);
    const { data } = bmp.decode(smallBmp());
    expect([...data]).toEqual([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]);
  });

  it('names an image that is too large for JPEG', async () => {
    const file = await flat(70_000, 1).png().toBuffer();
    await expect(encodeCompressedFrame(file, 'wide.png', { quality: 70 })).rejects.toThrow(/'wide.png' is larger than/);
  });

  it('encodes a JPEG without its end marker', async () => {
    const whole = await flat(30, 20).jpeg().toBuffer();
    const frame = await encodeCompressedFrame(whole.subarray(0, -2), 'a.jpg', { quality: 70 });
    expect(await sharp(frame).metadata()).toMatchObject({ width: 30, height: 20 });
  });

  it('adds the end marker to original frames', async () => {
    const whole = await flat(30, 20).jpeg().toBuffer();
    expect(await originalFrame(whole.subarray(0, -2), 'a.jpg')).toEqual(whole);
  });

  it('rejects truncated pixels', async () => {
    const jpeg = await noisy().jpeg().toBuffer();
    const png = await noisy().png().toBuffer();
    for (const file of [jpeg, png, smallBmp()]) {
      const cut = file.subarray(0, file.length * 0.8);
      await expect(encodeCompressedFrame(cut, 'cut.jpg', { quality: 70 })).rejects.toThrow(unreadable('cut.jpg'));
    }
  });
});

describe('encodePreview', () => {
  it('shrinks large images and leaves small ones', async () => {
    const large = await encodePreview(await flat(1000, 500).png().toBuffer(), 'a.png');
    expect(await probeImage(large, 'out')).toMatchObject({ width: 256, height: 128, format: 'jpeg' });
    const small = await encodePreview(await flat(100, 50).png().toBuffer(), 'a.png');
    expect(await probeImage(small, 'out')).toMatchObject({ width: 100, height: 50 });
  });
});

describe('originalFrame', () => {
  it('keeps the bytes', async () => {
    const file = await flat(30, 20).png().toBuffer();
    expect(await originalFrame(file, 'a.png')).toBe(file);
    const bitmap = smallBmp();
    expect(await originalFrame(bitmap, 'a.bmp')).toBe(bitmap);
  });

  it.each(['jpeg', 'png', 'webp', 'tiff'] as const)('rotates a %s upright in its own format', async (format) => {
    const info = await probeImage(await originalFrame(await turned(format), 'a.x'), 'out');
    expect(info).toEqual({ width: 20, height: 30, format, turned: false });
  });

  it('keeps the bytes of an upright TIFF with any content', async () => {
    const file = bareTiff({ values: Float32Array.of(0, 0.25, 0.5, 1), width: 2 });
    expect(await originalFrame(file, 'a.tif')).toBe(file);
  });

  it.each([
    ['16 bits', Uint16Array.of(0, 4000, 500, 65_535), 'grey16', 'ushort'],
    ['floating point', Float32Array.of(-3, 0.25, 0.5, 1e6), 'b-w', 'float'],
    ['32 bits', Int32Array.of(-70_000, 0, 1, 2e9), 'b-w', 'int'],
  ] as const)('turns a TIFF of %s without losing depth', async (_, values, space, depth) => {
    const out = await originalFrame(bareTiff({ values, width: 4, orientation: 3 }), 'a.tif');
    expect(await sharp(out).metadata()).toMatchObject({ channels: 1, space, depth });
    const raw = await sharp(out).toColourspace(space).raw({ depth }).toBuffer();
    expect(raw).toEqual(Buffer.from(values.toReversed().buffer));
  });

  it('rotates a CMYK TIFF without converting it to RGB', async () => {
    const file = bareTiff({
      values: Uint8Array.of(10, 20, 30, 40, 50, 60, 70, 80),
      width: 2,
      samples: 4,
      orientation: 3,
    });
    const out = await originalFrame(file, 'a.tif');
    expect(await sharp(out).metadata()).toMatchObject({ space: 'cmyk', channels: 4 });
    expect((await sharp(out).stats()).channels.map(({ max }) => max)).toEqual([50, 60, 70, 80]);
  });
});
