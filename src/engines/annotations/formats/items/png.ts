import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import { convertIndexedToRgb, decode } from 'fast-png';
import { sharp } from '../../../media/libvips.js';
import { type FileLocation, refuse } from '../format.js';

/** Pixels, row by row, with interleaved channels. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  /** Of 16 bits per channel if these are `Uint16Array`. */
  readonly data: Uint8Array | Uint16Array;
}

/** Raster formats of libvips; without them, gray images become RGB, and 16 bits become 8. */
const GRAY = { 8: 'b-w', 16: 'grey16' } as const;

/** The default of 6 takes twice the time, for files that are up to half as large. */
const COMPRESSION_LEVEL = 3;

/** 1 channel is gray, of 8 or 16 bits. 3 are RGB, 4 are RGBA, of 8 bits. Runs outside of the main thread. */
export function encodePng({ width, height, channels, data }: Raster): Promise<Uint8Array> {
  const image = sharp(data, { raw: { width, height, channels: channels as 1 | 3 | 4 } });
  const own = channels === 1 ? image.toColourspace(GRAY[data instanceof Uint16Array ? 16 : 8]) : image;
  return own.png({ compressionLevel: COMPRESSION_LEVEL }).toBuffer();
}

/** More than any annotated image has; a decoded mask of this size takes 400 MB. */
export const MAX_PIXELS = 100_000_000;

/** Channels by colour type (PNG, 11.2.2). */
const CHANNELS: ReadonlyMap<number, number> = new Map([[0, 1], [2, 3], [3, 1], [4, 2], [6, 4]]); // prettier-ignore

/** What a file says about its pixels, before they are decoded. */
export interface PngHeader {
  readonly width: number;
  readonly height: number;
  /** The most bytes that its pixels can have. */
  readonly bytes: number;
}

/** @throws FormatError if the bytes are not a PNG, or have too many pixels */
export function pngHeader(bytes: Uint8Array, location: FileLocation): PngHeader {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 33 || header.getUint32(0) !== 0x89504e47) refuse(location, 'the file is not a PNG');
  const [width, height] = [header.getUint32(16), header.getUint32(20)];
  const [depth, channels] = [header.getUint8(24), CHANNELS.get(header.getUint8(25))];
  if (width * height > MAX_PIXELS) refuse(location, `an image of ${width} x ${height} pixels is too large`);
  if (width === 0 || height === 0 || depth > 16 || channels === undefined) refuse(location, 'the image is damaged');
  // Each row has a byte for its filter. Interlaced images have up to twice as many rows, which are shorter.
  return { width, height, bytes: 2 * height * (1 + Math.ceil((width * depth * channels) / 8)) + 64 };
}

/** @throws FormatError if the bytes are not a PNG, or have too many pixels; a palette becomes RGB */
export async function decodePng(bytes: Uint8Array, location: FileLocation): Promise<Raster> {
  const { width, height, bytes: limit } = pngHeader(bytes, location);
  try {
    const image = decode(await plainPng(bytes, limit));
    const data = image.data instanceof Uint16Array ? image.data : new Uint8Array(image.data);
    if (image.palette === undefined) return { width, height, channels: image.channels, data };
    const channels = image.palette[0]?.length ?? 3;
    return { width, height, channels, data: new Uint8Array(convertIndexedToRgb(image)) };
  } catch (error) {
    return refuse(location, 'the image is damaged', error);
  }
}

/** The parts of a file that the decoder needs. Others, such as profiles and texts, can be far larger than the image. */
const NEEDED = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
/** Larger than any palette. */
const MAX_PALETTE = 1024;

/**
 * A copy with the needed parts alone. The decoder inflates whatever the file has, so this checks first that it is no more
 * than what the header announces.
 * @throws Error
 */
async function plainPng(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts = [file.subarray(0, 8)];
  const data: Buffer[] = [];
  const seen = new Set<string>();
  for (let at = 8; at + 12 <= file.length;) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const end = at + 12 + length;
    if (end > file.length) throw new Error('a part ends early');
    if (type === 'IDAT') data.push(file.subarray(at + 8, end - 4));
    if (NEEDED.has(type) && (type === 'IDAT' || !seen.has(type))) {
      if (type !== 'IDAT' && length > MAX_PALETTE) throw new Error(`${type} is too long`);
      parts.push(file.subarray(at, end));
    }
    seen.add(type);
    at = end;
    if (type === 'IEND') break;
  }
  if (!seen.has('IEND')) throw new Error('the end is missing');
  await requireInflated(data, limit);
  return Buffer.concat(parts);
}

/** Inflates outside of the main thread, and keeps nothing. @throws Error if there is more than the limit */
async function requireInflated(data: readonly Buffer[], limit: number): Promise<void> {
  let length = 0;
  await pipeline(
    Readable.from(data),
    createInflate({ chunkSize: 2 ** 20 }),
    async (inflated: AsyncIterable<Buffer>) => {
      for await (const piece of inflated) {
        length += piece.length;
        if (length > limit) throw new Error(`the pixels have more than ${limit} bytes`);
      }
    },
  );
}
