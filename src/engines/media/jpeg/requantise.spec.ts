import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { type JpegOptions } from 'sharp';
import { sharp } from '../libvips.js';
import { requantise } from './requantise.js';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Soft shapes with some noise, similar to a photograph. */
function picture({ width, height }: Size, seed: number): Buffer {
  const pixels = Buffer.alloc(width * height * 3);
  let state = seed;
  for (let at = 0; at < pixels.length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
    const wave = Math.sin((x * (1 + (seed % 5))) / 17) + Math.cos((y * (1 + (at % 3))) / 23);
    pixels[at] = Math.max(0, Math.min(255, 128 + 50 * wave + ((state >>> 16) % 40) - 20));
  }
  return pixels;
}

const jpegOf = (size: Size, options: JpegOptions, seed = 1): Promise<Buffer> =>
  sharp(picture(size, seed), { raw: { ...size, channels: 3 } })
    .jpeg(options)
    .toBuffer();

const modelOf = (quality: number): Promise<Buffer> =>
  jpegOf({ width: 1, height: 1 }, { quality, optimiseCoding: false });

const pixelsOf = (file: Buffer): Promise<Buffer> => sharp(file, { failOn: 'warning' }).raw().toBuffer();

/** Adds deterministic Gaussian noise. */
function withNoise(pixels: Buffer, sigma: number): Buffer {
  let state = 12_345;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  return Buffer.from(Uint8ClampedArray.from(pixels, (value) => value + sigma * normal()));
}

/** Mean square error. */
function errorOf(one: Buffer, other: Buffer): number {
  expect(one.length).toBe(other.length);
  return one.reduce((sum, value, at) => sum + (value - (other[at] ?? 0)) ** 2, 0) / one.length;
}

/**
 * Decoding smooths colours, so that encoding again loses more detail at high qualities. By rate–distortion theory an
 * error that is smaller by a factor costs half its binary logarithm in bits per coefficient. There are 1.5 coefficients
 * per pixel with colours at half the resolution.
 */
const bytesOfDetail = ({ width, height }: Size, factor: number): number =>
  factor > 1 ? (width * height * 1.5 * Math.log2(Math.min(factor, 256))) / 2 / 8 : 0;

/** 50×37 pixels with a restart marker after every two units, created by another encoder. */
const WITH_RESTARTS = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSEx' +
    'IQEw8QEBD/2wBDAQMDAwQDBAgEBAgQCwkLEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBD/wAARCAAl' +
    'ADIDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhBy' +
    'JxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKT' +
    'lJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAA' +
    'AAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRom' +
    'JygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExc' +
    'bHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/90ABAAC/9oADAMBAAIRAxEAPwD84tO8Lbsfu/0rqNO8Hb8fuv0ruNF8Lbtv7r9K7zRf' +
    'B2/b+6/SuzhzLf7ctpe55WUcV+zt7x5pp3gXdj9z+ldRp3w934/cfpXpUejWmmssH2YzT4B2LwF+p7ce3861bDw9q16RlzEpIIWIbccevX9a+k' +
    'xuB4byys8HKEq9dOzhTSfK+0pO0U+jScpJ7xR+v5BxXWmlLmsvM//Q8AtPh5BCqvcCOJScAuQoJ9Oa3LTwXo8TqjzRkkZ+RS4/NQRXfWPgiwst' +
    'n2srGTjC4y31wOccHmuh07w/EcC00p2yvDSEDDfQZyPxFejjZ5dh5ezqYShSn/JJzrTXrGmoNX6XSXmz+tMg4om7NTb/AA/M83HgzRMD95/5Bf' +
    '8Awor2RfDGp7R/xL7Xp/cb/Gis19Wf/MBT/wDCer/8uPvFxS/+fj/8CX+R/9HyLw74W3bf3f6V3a6I2m2kfkxDz5jtTI+6B1b0OMj866Xwr4W3' +
    '7P3f6V09v4YN7q0hER2wkQqCo429f1yfxrg4fz+tlnDcJYJ2r12qcGt43V5SXmoppNaqUovofzDk/EanWXM9FqcR4f8ABChRI8YVVGWJ4AHrXR' +
    'WejXFy/kadF5cPTzNvzt649B+vHbpXcDw3JcXA02Bf3MePMwPvP6Z9Bxx659BXQ23h7ysWFhH+96SSAfc9h7+/b69OGvnNHLqLwWCk6dKm+WUo' +
    '/wASrU29nTtqkne7ur2bbUE3L9nyHiRzalJ3b+5Luz//0uysfCdjpxETwmWcAHy1HTI4yeg/nz0rpbPw5dsnmzMlnB0AXg+v3upOPTrjpXbWPh' +
    'VNO8u3t7ZZbk4JBHyoPfHc+n4/Xes/CqQyhrlHurvj93/dB564wo9h6jjFfn1fOZ4OLoRSpRjo4wbjGLa+Cc4r2lWdr3pwSTs1ZPQ+0yHiTms+' +
    'a/8AXRbJebPNP+EW0tflFjcsBwGEa4Pvyc0V7YnhjU9i/wDEuteg/wCWbf8AxVFeUsv5ldUrf9y3/BPv1xX/AHv/ACY//9P1rwbo1q2zI/Suh8' +
    'NaPawWclwigtFEzgEcZAzRRX5zksnHLsqqr4owxDT7NRpNM/gLJq9Tnkr/AMv6m/o+j29npklzBgSIFCkrnGSBn9a6LTdJtdO09JoEHmSOI1JH' +
    '3cgnOO/SiivnMTUngqFOeHfK6eEUo2+zKVScZSXaTUYq610XVI/ashr1JNXe8v0R/9T7atdGtbG2t4bYbWuNwMgHKgYzj3Oevb+XQ2mj2tnJFY' +
    '2yhPMjDNJj5hk449Oh59+1FFfzjmknhq1WnR91U3QhC2nLGdOEpqPZybbcl72yvZJL5fh+vUajd73f3M6CPwVpOxfl7D+Giiiv0mnwdkPIv9lh' +
    't2Prv7QxP87P/9k=',
  'base64',
);

describe('requantise', () => {
  it('is as close to the image as decoding and encoding, and not larger', async () => {
    const side = fc.integer({ min: 33, max: 80 });
    const sizes = fc.record({ width: side, height: side });
    const quality = fc.integer({ min: 20, max: 100 });
    await fc.assert(
      fc.asyncProperty(sizes, quality, quality, fc.boolean(), fc.nat(1000), async (size, from, to, optimised, seed) => {
        const file = await jpegOf(size, { quality: from, optimiseCoding: optimised }, seed);
        const made = requantise(file, await modelOf(to));
        if (made === undefined) throw new Error('nothing was made');
        const again = await sharp(file).jpeg({ quality: to, optimiseCoding: false }).toBuffer();
        const [old, ours, theirs] = await Promise.all([file, made, again].map(pixelsOf));
        if (old === undefined || ours === undefined || theirs === undefined) throw new Error('no pixels');
        const [error, theirError] = [errorOf(ours, old), errorOf(theirs, old)];
        expect(error).toBeLessThanOrEqual(1.15 * theirError + 1);
        if (to >= from) expect(ours.equals(old)).toBe(true);
        expect(made.length).toBeLessThanOrEqual(1.1 * again.length + 100 + bytesOfDetail(size, theirError / error));
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['quality 85', 85, 0],
    ['quality 85, noise', 85, 10],
    ['quality 95, noise', 95, 10],
  ])(
    'differs by at most 5 %% from the size of an encoded file of the same quality, for photographs: %s',
    async (_, quality, sigma) => {
      for (const name of ['chelsea', 'coffee', 'rocket']) {
        const source = sharp(readFileSync(new URL(`../../../../demo/photos/${name}.jpg`, import.meta.url)));
        const { data, info } = await source.raw().toBuffer({ resolveWithObject: true });
        const photograph = withNoise(data, sigma);
        const raw = { width: info.width, height: info.height, channels: info.channels };
        const file = await sharp(photograph, { raw }).jpeg({ quality }).toBuffer();
        const made = requantise(file, await modelOf(70)) ?? Buffer.alloc(0);
        const again = await sharp(file).jpeg({ quality: 70, optimiseCoding: false }).toBuffer();
        expect(made.length).toBeLessThanOrEqual(1.05 * again.length);
        const [old, ours, theirs] = (await Promise.all([file, made, again].map(pixelsOf))) as [Buffer, Buffer, Buffer];
        expect(errorOf(ours, old)).toBeLessThanOrEqual(1.03 * errorOf(theirs, old));
        expect(errorOf(ours, photograph)).toBeLessThanOrEqual(1.01 * errorOf(theirs, photograph));
      }
    },
  );

  it('reads scans with restart markers', async () => {
    const model = await modelOf(100);
    expect(await pixelsOf(requantise(WITH_RESTARTS, model) ?? Buffer.alloc(0))).toEqual(await pixelsOf(WITH_RESTARTS));
  });

  it('leaves other formats to the decoder', async () => {
    const size = { width: 40, height: 30 };
    const model = await modelOf(70);
    const image = sharp(picture(size, 3), { raw: { ...size, channels: 3 } });
    const others = {
      progressive: await jpegOf(size, { progressive: true }),
      '4:4:4': await jpegOf(size, { chromaSubsampling: '4:4:4' }),
      grey: await image.clone().toColourspace('b-w').jpeg().toBuffer(),
      CMYK: await image.clone().toColourspace('cmyk').jpeg().toBuffer(),
      'with a colour profile': await image.clone().withIccProfile('p3').jpeg().toBuffer(),
      PNG: await image.clone().png().toBuffer(),
      nothing: Buffer.alloc(0),
    };
    for (const [kind, file] of Object.entries(others))
      expect(`${kind}: ${requantise(file, model)?.length}`).toBe(`${kind}: undefined`);
  });

  it('returns nothing for a truncated file', async () => {
    const file = await jpegOf({ width: 64, height: 48 }, { quality: 90 });
    const model = await modelOf(70);
    for (let length = 0; length < file.length; length += 7) {
      expect(requantise(file.subarray(0, length), model)).toBeUndefined();
    }
  });

  it('returns a valid file or nothing for a damaged one', async () => {
    const file = await jpegOf({ width: 64, height: 48 }, { quality: 90 });
    const model = await modelOf(70);
    const damage = fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(damage, async (changes) => {
        const damaged = Buffer.from(file);
        for (const [at, byte] of changes) damaged[at] = byte;
        const made = requantise(damaged, model);
        if (made !== undefined) expect((await pixelsOf(made)).length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});
