import { describe, expect, it } from '@jest/globals';
import { bmp, pnm } from './raster.js';

interface BmpParts {
  width: number;
  height: number;
  bits: number;
  compression?: number;
  /** Bytes between header and pixels: palette or masks. */
  extra?: number[];
  pixels: number[];
}

function bmpFile({ width, height, bits, compression = 0, extra = [], pixels }: BmpParts): Buffer {
  const header = Buffer.alloc(54);
  header.write('BM');
  header.writeUInt32LE(54 + extra.length, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(height, 22);
  header.writeUInt16LE(bits, 28);
  header.writeUInt32LE(compression, 30);
  return Buffer.concat([header, Buffer.from(extra), Buffer.from(pixels)]);
}

const black = [0, 0, 0];
const white = [255, 255, 255];
const red = [255, 0, 0];
const palette = [0, 0, 0, 0, 0, 0, 255, 0, ...Array.from({ length: 254 * 4 }, () => 255)];

describe('bmp', () => {
  it('reads 24 bits from the bottom row up', () => {
    const file = bmpFile({ width: 1, height: 2, bits: 24, pixels: [0, 0, 0, 0, 0, 0, 255, 0] });
    expect([...bmp.decode(file).data]).toEqual([...red, ...black]);
  });

  it('reads rows from the top if the height is negative', () => {
    const file = bmpFile({ width: 1, height: -2, bits: 24, pixels: [0, 0, 0, 0, 0, 0, 255, 0] });
    expect([...bmp.decode(file).data]).toEqual([...black, ...red]);
    expect(bmp.readSize(file)).toEqual({ width: 1, height: 2 });
  });

  it.each([
    [1, [0b01000000, 0, 0, 0]],
    [4, [0x01, 0, 0, 0]],
    [8, [0, 1, 0, 0]],
  ])('reads %d bits with a palette', (bits, pixels) => {
    const file = bmpFile({ width: 2, height: 1, bits, extra: palette.slice(0, 4 * 2 ** bits), pixels });
    expect([...bmp.decode(file).data]).toEqual([...black, ...red]);
  });

  it('reads 16 and 32 bits with masks', () => {
    const five = bmpFile({ width: 2, height: 1, bits: 16, pixels: [0, 0x7c, 0xff, 0x7f] });
    expect([...bmp.decode(five).data]).toEqual([...red, ...white]);
    const masks = [0, 0, 0, 0xff, 0, 0, 0xff, 0, 0, 0xff, 0, 0];
    const file = bmpFile({ width: 1, height: 1, bits: 32, compression: 3, extra: masks, pixels: [0, 0, 0, 255] });
    expect([...bmp.decode(file).data]).toEqual(red);
  });

  it('rejects truncated and compressed files', () => {
    expect(() => bmp.decode(bmpFile({ width: 2, height: 2, bits: 24, pixels: [1, 2, 3] }))).toThrow(RangeError);
    expect(() => bmp.readSize(bmpFile({ width: 2, height: 2, bits: 8, compression: 1, pixels: [] }))).toThrow(
      RangeError,
    );
  });
});

describe('pnm', () => {
  it.each([
    ['P1\n# comment\n2 2\n10\n01', 1, [0, 255, 255, 0]],
    ['P2 2 1 15\n0 15\n', 1, [0, 255]],
    ['P3 1 1 255 255 0 0', 3, red],
    ['P4 9 1\n\x80\x80', 1, [0, ...Array.from({ length: 7 }, () => 255), 0]],
    ['P5 2 1 255\n\x00\xff', 1, [0, 255]],
    ['P5 2 1 65535\n\x00\x00\xff\xff', 1, [0, 255]],
    ['P6 1 1 255\n\xff\x00\x00', 3, red],
  ])('reads %j', (text, channels, expected) => {
    const raster = pnm.decode(Buffer.from(text, 'latin1'));
    expect([...raster.data]).toEqual(expected);
    expect(raster.channels).toBe(channels);
  });

  it.each(['P5 2 2 255\n\0', 'P2 2 2 255 1 2 3', 'P6 0 1 255\n', 'P5 1 1 70000\n\0\0', 'P4 9 2\n\0'])(
    'rejects %j',
    (text) => {
      expect(() => pnm.decode(Buffer.from(text, 'latin1'))).toThrow(RangeError);
    },
  );
});
