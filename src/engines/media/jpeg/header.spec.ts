import { describe, expect, it } from '@jest/globals';
import { type JpegHeader, partsOf, readJpegHeader } from './header.js';
import { sharp, type Sharp } from '../libvips.js';

const picture = (): Sharp =>
  sharp({ create: { width: 70, height: 50, channels: 3, background: 'red', noise: { type: 'gaussian', sigma: 40 } } });
const read = (file: Buffer): JpegHeader | undefined => readJpegHeader(partsOf(file));

/** Inserts a segment after the start of the image, where cameras write before the image size. */
function withSegment(file: Buffer, marker: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([file.subarray(0, 2), head, body, file.subarray(2)]);
}

describe('readJpegHeader', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('orientation %d', async (orientation) => {
    const file = await picture().withMetadata({ orientation }).jpeg().toBuffer();
    expect(read(file)).toEqual({ width: 70, height: 50, orientation });
  });

  it.each<[string, (image: Sharp) => Sharp]>([
    ['progressive', (image) => image.jpeg({ progressive: true })],
    ['grey', (image) => image.greyscale().jpeg()],
    ['restarts and a profile', (image) => image.withIccProfile('p3').jpeg({ mozjpeg: true })],
  ])('reads a JPEG that is %s', async (_, make) => {
    await expect(make(picture()).toBuffer().then(read)).resolves.toEqual({ width: 70, height: 50, orientation: 1 });
  });

  it('skips content beyond its reading limit', async () => {
    const file = await picture().withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const padded = [0xe2, 0xed, 0xfe].reduce<Buffer>(
      (all, marker) => withSegment(all, marker, Buffer.alloc(65_000)),
      file,
    );
    expect(read(padded)).toEqual({ width: 70, height: 50, orientation: 6 });
  });

  it('reads EXIF in either byte order', async () => {
    const plain = await picture().jpeg().toBuffer();
    const little = Buffer.from('45786966000049492a0008000000010012010300010000000300000000000000', 'hex');
    const big = Buffer.from('4578696600004d4d002a00000008000101120003000000010008000000000000', 'hex');
    expect(read(withSegment(plain, 0xe1, little))?.orientation).toBe(3);
    expect(read(withSegment(plain, 0xe1, big))?.orientation).toBe(8);
  });

  it('leaves unusual files to the decoder', async () => {
    const plain = await picture().jpeg().toBuffer();
    const cmyk = await picture().toColourspace('cmyk').jpeg().toBuffer();
    const strange = Buffer.from('45786966000049492a00080000000100120103000100000009000000', 'hex');
    const cut = Buffer.from('45786966000049492a00ffffff000100', 'hex');
    for (const file of [
      cmyk,
      await picture().png().toBuffer(),
      Buffer.alloc(0),
      Buffer.from('ffd8ffd9', 'hex'),
      withSegment(plain, 0xe1, strange),
      withSegment(plain, 0xe1, cut),
      withSegment(plain, 0xc3, Buffer.alloc(20)),
    ])
      expect(read(file)).toBeUndefined();
  });

  it('returns nothing for a file truncated anywhere before its pixels', async () => {
    const file = await picture().withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const scan = file.indexOf(Buffer.of(0xff, 0xda));
    for (let end = 0; end < scan + 2; end += 1) expect(read(file.subarray(0, end))).toBeUndefined();
    expect(read(file)).toEqual({ width: 70, height: 50, orientation: 6 });
  });
});
