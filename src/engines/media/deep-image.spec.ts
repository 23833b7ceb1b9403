import { describe, expect, it } from '@jest/globals';
import { deflateSync } from 'node:zlib';
import { encodeCompressedFrame } from './image-encode.js';
import { probeImage } from './image-probe.js';
import { sharp } from './libvips.js';

interface TiffOptions {
  readonly bits: number;
  /** 1 unsigned, 2 signed, 3 float, 6 complex. */
  readonly format: number;
  readonly channels?: number;
  readonly big?: boolean;
  readonly separate?: boolean;
  readonly deflate?: boolean;
  readonly predictor?: number;
}

const width = 8;

function sample(value: number, { bits, format, big = false }: TiffOptions): Buffer {
  const bytes = Buffer.alloc(bits / 8);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (format === 3 && bits === 64) view.setFloat64(0, value, !big);
  else if (format === 3) view.setFloat32(0, value, !big);
  else if (bits === 64) view.setBigInt64(0, BigInt(value), !big);
  else if (bits === 32) view.setInt32(0, value, !big);
  else if (bits === 16) view.setInt16(0, value, !big);
  else view.setInt8(0, value);
  return bytes;
}

/** An image of 8 × n pixels. @param values of all channels of each pixel; or of each plane, if they are separate */
function tiff(values: readonly number[], options: TiffOptions): Buffer {
  const { bits, format, channels = 1, big = false, separate = false, deflate = false, predictor = 1 } = options;
  const plain = Buffer.concat(values.map((value) => sample(value, options)));
  const planes = separate ? channels : 1;
  const parts = Array.from({ length: planes }, (_, at) => plain.subarray((at * plain.length) / planes, ((at + 1) * plain.length) / planes)).map((part) => (deflate ? deflateSync(part) : part)); // prettier-ignore
  const height = values.length / channels / width;
  const u16 = (value: number) => (big ? Buffer.of(value >> 8, value & 255) : Buffer.of(value & 255, value >> 8));
  const u32 = (value: number) => {
    const all = Buffer.alloc(4);
    new DataView(all.buffer, all.byteOffset).setUint32(0, value, !big);
    return all;
  };
  const starts = parts.map((_, at) => 8 + parts.slice(0, at).reduce((sum, part) => sum + part.length, 0));
  const tags: [number, number[]][] = [
    [256, [width]], [257, [height]], [258, Array<number>(channels).fill(bits)], [259, [deflate ? 8 : 1]], [262, [channels === 3 ? 2 : 1]],
    [273, starts], [277, [channels]], [278, [height]], [279, parts.map(({ length }) => length)], [284, [separate ? 2 : 1]],
    [317, [predictor]], [339, Array<number>(channels).fill(format)],
  ]; // prettier-ignore
  const lists: Buffer[] = [];
  let listAt = 8 + parts.reduce((sum, part) => sum + part.length, 0);
  const entries = tags.map(([tag, list]) => {
    const head = Buffer.concat([u16(tag), u16(4), u32(list.length)]);
    if (list.length === 1) return Buffer.concat([head, u32(list[0] ?? 0)]);
    lists.push(...list.map(u32));
    listAt += 4 * list.length;
    return Buffer.concat([head, u32(listAt - 4 * list.length)]);
  });
  const directory = Buffer.concat([u16(entries.length), ...entries, u32(0)]);
  const start = Buffer.concat([Buffer.from(big ? 'MM' : 'II'), u16(42), u32(listAt)]);
  return Buffer.concat([start, ...parts, ...lists, directory]);
}

/** The grey values that are shown. */
async function shown(file: Buffer): Promise<number[]> {
  const frame = await encodeCompressedFrame(file, 'a.tif', { quality: 100 });
  return [...(await sharp(frame).greyscale().raw().toBuffer())];
}

/** 0 … 63: eight rows. */
const ramp = Array.from({ length: 64 }, (_, at) => at);
const isRamp = (pixels: readonly number[]) => pixels.every((pixel, at) => Math.abs(pixel - (at * 255) / 63) < 8);

describe('images of more than 8 bits per channel', () => {
  it.each<[string, readonly number[], TiffOptions]>([
    ['signed integers of 8 bits', ramp.map((value) => value - 30), { bits: 8, format: 2 }],
    ['signed integers of 16 bits', ramp.map((value) => value * 100 - 3000), { bits: 16, format: 2 }],
    ['signed integers of 32 bits', ramp.map((value) => value * 1e6 - 3e7), { bits: 32, format: 2 }],
    ['unsigned integers of 32 bits', ramp.map((value) => value * 1e6), { bits: 32, format: 1 }],
    ['integers of 64 bits', ramp.map((value) => value * 1e12 - 5e12), { bits: 64, format: 2 }],
    ['floats with a small range', ramp.map((value) => 0.1 + value / 1e5), { bits: 32, format: 3 }],
    ['floats of 64 bits', ramp.map((value) => value / 1e9), { bits: 64, format: 3 }],
    ['big-endian floats of 64 bits', ramp.map((value) => -value / 7).toReversed(), { bits: 64, format: 3, big: true }],
    ['compressed floats of 64 bits', ramp, { bits: 64, format: 3, deflate: true }],
    ['the first of two channels', ramp.flatMap((value) => [value, 5000]), { bits: 16, format: 1, channels: 2 }],
    ['the first of eight channels', ramp.flatMap((value) => [value, 1, 2, 3, 4, 5, 6, 7e4]), { bits: 32, format: 3, channels: 8 }],
    ['the first of eight planes', [...ramp, ...Array<number>(64 * 7).fill(9)], { bits: 16, format: 1, channels: 8, separate: true }],
    ['colours of 64 bits', ramp.flatMap((value) => [value, value, value]), { bits: 64, format: 3, channels: 3 }],
    ['colours of 64 bits in planes', [...ramp, ...ramp, ...ramp], { bits: 64, format: 3, channels: 3, separate: true }],
    ['colours of 32 bits', ramp.flatMap((value) => [value * 9, value * 9, value * 9]), { bits: 32, format: 3, channels: 3 }],
  ])('shows %s stretched to their range', async (_, values, options) => {
    expect(isRamp(await shown(tiff(values, options)))).toBe(true);
  }); // prettier-ignore

  it.each([
    ['NaN', NaN],
    ['-Infinity', -Infinity],
    ['the smallest float', -3.4e38],
  ])('leaves %s out of the range and shows it black', async (_, missing) => {
    const values = ramp.map((value, at) => (at === 0 ? missing : value + 1000));
    for (const bits of [32, 64]) expect(isRamp(await shown(tiff(values, { bits, format: 3 })))).toBe(true);
  });

  it('shows an image without any number as black', async () => {
    const values = ramp.map(() => NaN);
    expect(Math.max(...(await shown(tiff(values, { bits: 32, format: 3 }))))).toBe(0);
  });

  it('shows colours from 0 to 1 as they are', async () => {
    const values = ramp.flatMap(() => [0.5, 0.5, 0.5]);
    const [pixel = 0] = await shown(tiff(values, { bits: 32, format: 3, channels: 3 }));
    expect(pixel).toBeGreaterThan(100);
  });

  it('reads the size of an image that libvips cannot read', async () => {
    const file = tiff(ramp, { bits: 64, format: 3 });
    expect(await probeImage(file, 'a.tif')).toEqual({ width: 8, height: 8, format: 'tiff', turned: false });
  });

  it('limits the pixels of such an image', async () => {
    const probe = probeImage(tiff(ramp, { bits: 64, format: 3 }), 'a.tif', { maxPixels: 63 });
    await expect(probe).rejects.toThrow("'a.tif' has too many pixels");
  });

  it.each<[string, TiffOptions]>([
    ['complex numbers', { bits: 64, format: 6 }],
    ['differences of 64 bits', { bits: 64, format: 1, predictor: 2 }],
  ])('says that %s cannot be read', async (_, options) => {
    await expect(probeImage(tiff(ramp, options), 'a.tif')).rejects.toThrow("'a.tif' is truncated, damaged, or of a variant");
  }); // prettier-ignore
});
