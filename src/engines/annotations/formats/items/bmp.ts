import { type FileLocation, refuse } from '../format.js';
import { MAX_PIXELS, type Raster } from './png.js';

const FILE_HEADER = 14;
const INFO_HEADER = 40;

/** Rows begin at multiples of four bytes. */
const strideOf = (width: number, bytes: number): number => Math.ceil((width * bytes) / 4) * 4;

/**
 * Writes a bitmap of 24 bits, with the headers that archives of CVAT have. The maintained library, fast-bmp, has other
 * headers only (version 5), and reads no palettes.
 */
export function encodeBmp({ width, height, data }: Raster): Uint8Array {
  const stride = strideOf(width, 3);
  const bytes = new Uint8Array(FILE_HEADER + INFO_HEADER + stride * height);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0x4d42, true);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, FILE_HEADER + INFO_HEADER, true);
  view.setUint32(14, INFO_HEADER, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  for (let y = 0, from = 0; y < height; y++) {
    let at = FILE_HEADER + INFO_HEADER + (height - 1 - y) * stride;
    for (let x = 0; x < width; x++, at += 3, from += 3) {
      bytes[at] = data[from + 2] ?? 0;
      bytes[at + 1] = data[from + 1] ?? 0;
      bytes[at + 2] = data[from] ?? 0;
    }
  }
  return bytes;
}

/** The size of a bitmap. @throws FormatError if the bytes are not one */
export function bmpSize(
  bytes: Uint8Array,
  location: FileLocation,
): { readonly width: number; readonly height: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < FILE_HEADER + INFO_HEADER || view.getUint16(0, true) !== 0x4d42) {
    refuse(location, 'the file is not a BMP');
  }
  return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) };
}

/** Reads bitmaps of 24 or 32 bits, and of 8 bits with a palette. @throws FormatError */
export function decodeBmp(bytes: Uint8Array, location: FileLocation): Raster {
  const { width, height } = bmpSize(bytes, location);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [start, header, signed] = [view.getUint32(10, true), view.getUint32(14, true), view.getInt32(22, true)];
  const [bits, compression] = [view.getUint16(28, true), view.getUint32(30, true)];
  if (width * height > MAX_PIXELS) refuse(location, `an image of ${width} x ${height} pixels is too large`);
  const isPlain = compression === 0 || (compression === 3 && bits === 32);
  if (![8, 24, 32].includes(bits) || !isPlain) refuse(location, 'the image is compressed or has unusual colours');
  const stride = strideOf(width, bits / 8);
  if (width <= 0 || height === 0 || start + stride * height > bytes.length) refuse(location, 'the image is damaged');
  const palette = FILE_HEADER + header;
  const data = new Uint8Array(width * height * 3);
  for (let y = 0, to = 0; y < height; y++) {
    const row = start + (signed < 0 ? y : height - 1 - y) * stride;
    for (let x = 0; x < width; x++, to += 3) {
      const at = bits === 8 ? palette + (bytes[row + x] ?? 0) * 4 : row + x * (bits / 8);
      for (let channel = 0; channel < 3; channel++) data[to + channel] = bytes[at + 2 - channel] ?? 0;
    }
  }
  return { width, height, channels: 3, data };
}
