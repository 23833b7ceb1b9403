import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp, { type Sharp } from 'sharp';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles } from '../../support/given-media.js';
import { unzip } from '../../support/images.js';

const WIDTH = 48;
const HEIGHT = 32;

/** Three channels of the pixel in a row and column: the image has no symmetry. */
const pixel = (row: number, column: number): number[] => [
  40 + (column * 200) / WIDTH,
  40 + (row * 200) / HEIGHT,
  200 - (column * 80) / WIDTH - (row * 80) / HEIGHT,
];

/** Rows of pixels with three channels. */
function raster(height: number, width: number, at: (row: number, column: number) => number[]): Buffer {
  const bytes = Array.from({ length: height * width }, (_, index) => at(Math.floor(index / width), index % width));
  return Buffer.from(bytes.flat().map(Math.round));
}

const UPRIGHT = raster(HEIGHT, WIDTH, pixel);
const upright = (): Sharp => sharp(UPRIGHT, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });

const GREY = raster(HEIGHT, WIDTH, (row, column) => Array<number>(3).fill(40 + row * 3 + column * 2));
const greyscale = (): Sharp => sharp(GREY, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } }).greyscale();

/** The display position of a stored pixel, by EXIF orientation. */
const SHOWN: Readonly<Record<number, (row: number, column: number) => [row: number, column: number]>> = {
  1: (row, column) => [row, column],
  2: (row, column) => [row, WIDTH - 1 - column],
  3: (row, column) => [HEIGHT - 1 - row, WIDTH - 1 - column],
  4: (row, column) => [HEIGHT - 1 - row, column],
  5: (row, column) => [column, row],
  6: (row, column) => [column, WIDTH - 1 - row],
  7: (row, column) => [HEIGHT - 1 - column, WIDTH - 1 - row],
  8: (row, column) => [HEIGHT - 1 - column, row],
};

/** Stores the image like a camera with this orientation: displayed upright, it is the same image. */
function turned(orientation: number): Sharp {
  const [width, height] = orientation > 4 ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT];
  const shown = SHOWN[orientation] ?? ((row, column) => [row, column]);
  const stored = raster(height, width, (row, column) => pixel(...shown(row, column)));
  return sharp(stored, { raw: { width, height, channels: 3 } }).withMetadata({ orientation });
}

/** 24 bits per pixel, last row first. */
function bitmap(): Buffer {
  const head = Buffer.alloc(54);
  head.write('BM');
  head.writeUInt32LE(54 + UPRIGHT.length, 2);
  head.writeUInt32LE(54, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(WIDTH, 18);
  head.writeInt32LE(HEIGHT, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(24, 28);
  const rows = raster(HEIGHT, WIDTH, (row, column) => pixel(HEIGHT - 1 - row, column).toReversed());
  return Buffer.concat([head, rows]);
}

interface Kind {
  readonly name: string;
  readonly make: () => Buffer | Promise<Buffer>;
  /** Maximum mean difference per channel, in steps of 255. */
  readonly tolerance?: number;
  /** Whether the original is re-encoded. */
  readonly anew?: boolean;
  readonly grey?: boolean;
}

const KINDS: readonly (readonly [label: string, kind: Kind])[] = [
  ['JPEG', { name: 'a.jpg', make: () => upright().jpeg({ quality: 98 }).toBuffer() }],
  ['progressive JPEG', { name: 'a.jpeg', make: () => upright().jpeg({ quality: 98, progressive: true }).toBuffer() }],
  ['grey JPEG', { name: 'a.jpg', make: () => greyscale().jpeg({ quality: 98 }).toBuffer(), grey: true }],
  ['CMYK JPEG', { name: 'a.jpg', make: () => upright().toColourspace('cmyk').jpeg({ quality: 98 }).toBuffer(), tolerance: 20 }],
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((orientation): [string, Kind] => [
    `JPEG of orientation ${orientation}`,
    { name: 'a.jpg', make: () => turned(orientation).jpeg({ quality: 98 }).toBuffer(), anew: orientation > 1 },
  ]),
  ['PNG of orientation 6', { name: 'a.png', make: () => turned(6).png().toBuffer(), anew: true }],
  ['PNG', { name: 'a.PNG', make: () => upright().png().toBuffer() }],
  ['PNG of 16 bits', { name: 'a.png', make: () => upright().toColourspace('rgb16').png().toBuffer() }],
  ['PNG with a palette', { name: 'a.png', make: () => upright().png({ palette: true, dither: 0 }).toBuffer(), tolerance: 8 }],
  ['PNG with alpha', { name: 'a.png', make: () => upright().ensureAlpha(0.3).png().toBuffer() }],
  ['grey PNG with alpha', { name: 'a.png', make: () => greyscale().ensureAlpha(0.3).png().toBuffer(), grey: true }],
  ['interlaced PNG', { name: 'a.png', make: () => upright().png({ progressive: true }).toBuffer() }],
  ['WebP', { name: 'a.webp', make: () => upright().webp({ quality: 95 }).toBuffer() }],
  ['WebP without loss, with alpha', { name: 'a.webp', make: () => upright().ensureAlpha(0.5).webp({ lossless: true }).toBuffer() }],
  ['TIFF', { name: 'a.tif', make: () => upright().tiff({ compression: 'none' }).toBuffer() }],
  ['TIFF with LZW', { name: 'a.tiff', make: () => upright().tiff({ compression: 'lzw' }).toBuffer() }],
  ['TIFF of 16 bits', { name: 'a.tif', make: () => upright().toColourspace('rgb16').tiff({ compression: 'lzw' }).toBuffer() }],
  ['CMYK TIFF', { name: 'a.tif', make: () => upright().toColourspace('cmyk').tiff({ compression: 'lzw' }).toBuffer(), tolerance: 20 }],
  ['TIFF in tiles', { name: 'a.tif', make: () => upright().tiff({ tile: true, tileWidth: 16, tileHeight: 16 }).toBuffer() }],
  ['BMP', { name: 'a.bmp', make: bitmap }],
  ['GIF', { name: 'a.gif', make: () => upright().gif({ dither: 0 }).toBuffer(), tolerance: 8 }],
  ['AVIF', { name: 'a.avif', make: () => upright().avif({ quality: 95 }).toBuffer() }],
]; // prettier-ignore

describe('image type', () => {
  let app: TestApp;
  let owner: Person;
  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });
  afterAll(() => app.close());

  /** The mean difference of all channels between the displayed and the expected image. */
  async function difference(image: Buffer, expected: Buffer): Promise<number> {
    const { data, info } = await sharp(image)
      .removeAlpha()
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([WIDTH, HEIGHT]);
    const value = (index: number) => data[info.channels === 1 ? Math.floor(index / 3) : index] ?? 0;
    return expected.reduce((sum, byte, index) => sum + Math.abs(byte - value(index)), 0) / expected.length;
  }

  it.each(KINDS)(
    'is displayed unchanged: %s',
    async (_, { name, make, tolerance = 4, anew = false, grey: isGrey = false }) => {
      const sent = await make();
      const id = await givenTask(owner);
      await sendFiles(owner, id, { [name]: sent }, { image_quality: 100 }).expect(202);
      expect((await processed(app, owner, id)).body).toMatchObject({ status: 'finished', message: '' });
      const { body: meta } = await owner.http.get(`/api/tasks/${id}/data/meta`).expect(200);
      expect(meta.frames).toMatchObject([{ name, width: WIDTH, height: HEIGHT }]);

      const read = async (query: object): Promise<Buffer> =>
        (await owner.http.get(`/api/tasks/${id}/data`).query(query).responseType('blob').expect(200)).body as Buffer;
      const member = async (quality: string): Promise<[string, Buffer] | undefined> =>
        [...(await unzip(await read({ type: 'chunk', number: 0, quality })))][0];
      const expected = isGrey ? GREY : UPRIGHT;
      const frame = await read({ type: 'frame', number: 0 });
      expect((await sharp(frame).metadata()).format).toBe('jpeg');
      expect(await difference(frame, expected)).toBeLessThan(tolerance);
      expect(await member('compressed')).toEqual(['000000.jpeg', frame]);

      const original = await read({ type: 'frame', number: 0, quality: 'original' });
      expect(await member('original')).toEqual([`000000${name.slice(1)}`, original]);
      if (!anew) expect(original).toEqual(sent);
      else expect(await difference(original, expected)).toBeLessThan(tolerance);
      const preview = await owner.http.get(`/api/tasks/${id}/preview`).responseType('blob').expect(200);
      expect(await difference(preview.body as Buffer, expected)).toBeLessThan(tolerance + 4);
    },
  );
});
