import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { MemoryFiles } from '../../../../../test/support/datasets.js';
import { readMaskImage } from './mask-images.js';
import { decodePng, encodePng } from './png.js';

function part(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, 'latin1');
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(data, crc32(head.subarray(4))));
  return Buffer.concat([head, data, sum]);
}

/** A gray image of 8 bits. @param pixels may be more than it has */
function grayPng(width: number, height: number, pixels: Buffer, more: readonly Buffer[] = []): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const parts = [part('IHDR', header), ...more, part('IDAT', deflateSync(pixels)), part('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

const ZEROS = Buffer.alloc(2 ** 24);
const frame = { frame: 0, number: 0, name: 'a.png', width: 2, height: 2 };

describe('decodePng', () => {
  it('reads what encodePng has written', async () => {
    const raster = { width: 3, height: 2, channels: 1, data: Uint16Array.from([1, 256, 3, 4, 5, 65535]) };
    expect(await decodePng(await encodePng(raster), 'a.png')).toEqual(raster);
  });

  it('refuses more pixels than the header announces, without decoding them', async () => {
    await expect(decodePng(grayPng(2, 2, ZEROS), 'a.png')).rejects.toThrow('a.png: the image is damaged');
  });

  it('does not inflate texts and profiles', async () => {
    const profile = part('iCCP', Buffer.concat([Buffer.from('a\0\0'), deflateSync(ZEROS)]));
    const { data } = await decodePng(grayPng(2, 1, Buffer.from([0, 7, 8]), [profile]), 'a.png');
    expect([...data]).toEqual([7, 8]);
  });

  it('refuses an image that ends early', async () => {
    const file = grayPng(2, 2, Buffer.alloc(6));
    await expect(decodePng(file.subarray(0, -14), 'a.png')).rejects.toThrow('a.png: the image is damaged');
  });
});

describe('readMaskImage', () => {
  it('compares the size in the header with that of the frame before it decodes anything', async () => {
    const files = MemoryFiles.of({ 'a.png': grayPng(9000, 9000, Buffer.from('not pixels')) });
    await expect(readMaskImage(files, 'a.png', 'gray', frame)).rejects.toThrow(
      'a.png: the mask has 9000 x 9000 pixels, but the image has 2 x 2',
    );
  });
});
