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

/** @throws FormatError if the bytes are not a PNG, or have too many pixels; a palette becomes RGB */
export function decodePng(bytes: Uint8Array, location: FileLocation): Raster {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 24 || header.getUint32(0) !== 0x89504e47) refuse(location, 'the file is not a PNG');
  const [width, height] = [header.getUint32(16), header.getUint32(20)];
  if (width * height > MAX_PIXELS) refuse(location, `an image of ${width} x ${height} pixels is too large`);
  try {
    const image = decode(bytes);
    const data = image.data instanceof Uint16Array ? image.data : new Uint8Array(image.data);
    if (image.palette === undefined) return { width, height, channels: image.channels, data };
    const channels = image.palette[0]?.length ?? 3;
    return { width, height, channels, data: new Uint8Array(convertIndexedToRgb(image)) };
  } catch (error) {
    return refuse(location, 'the image is damaged', error);
  }
}
