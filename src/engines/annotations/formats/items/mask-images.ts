import { type Bitmap, emptyBitmap } from '../../../../shared/annotations/mask.js';
import type { DatasetFrame } from '../dataset.js';
import { type DatasetFiles, refuse } from '../format.js';
import { MISSING } from '../import-notes.js';
import { decodeBmp } from './bmp.js';
import { decodePng, type Raster } from './png.js';

/** One number for each pixel of an image, row by row: its gray value, or its colour as in `colorKey`. */
export interface PixelValues {
  readonly width: number;
  readonly height: number;
  readonly values: Uint32Array;
}

/** Pixels with one channel, row by row. */
type Pixels = Uint32Array | Uint16Array | Uint8Array;

/** The box and the number of pixels that have a value. */
export interface Extent {
  left: number;
  top: number;
  right: number;
  bottom: number;
  area: number;
}

/** The largest size of an image with masks, in bytes. */
const MAX_FILE = 256 * 2 ** 20;

/**
 * Reads a PNG or BMP with masks.
 * @param kind whether to read colours or gray values
 * @param frame without pixels if annotations of unknown frames are left out
 * @throws FormatError if the image is damaged, of another kind, or not as large as the frame
 */
export async function readMaskImage(
  files: DatasetFiles,
  path: string,
  kind: 'colors' | 'gray',
  frame: DatasetFrame,
): Promise<PixelValues> {
  if (frame.frame === MISSING) return { width: 0, height: 0, values: new Uint32Array() };
  const { width, height, channels, data } = decodeImage(await bytesOf(files, path), path);
  if (width !== frame.width || height !== frame.height) {
    refuse(path, `the mask has ${width} x ${height} pixels, but the image has ${frame.width} x ${frame.height}`);
  }
  const values = new Uint32Array(width * height);
  if (data.length !== values.length * channels) refuse(path, 'the image has less than 8 bits per channel');
  if (kind === 'gray') {
    if (channels !== 1) refuse(path, 'the image is not gray');
    values.set(data);
  } else {
    if (data instanceof Uint16Array) refuse(path, 'the image has more than 8 bits per channel');
    const [green, blue] = channels < 3 ? [0, 0] : [1, 2];
    for (let at = 0, from = 0; at < values.length; at++, from += channels) {
      values[at] = ((data[from] ?? 0) << 16) | ((data[from + green] ?? 0) << 8) | (data[from + blue] ?? 0);
    }
  }
  return { width, height, values };
}

function decodeImage(bytes: Uint8Array, path: string): Raster {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) refuse(path, 'JPEG changes the colours of masks. Save it as PNG');
  return path.toLowerCase().endsWith('.bmp') || isBmp(bytes) ? decodeBmp(bytes, path) : decodePng(bytes, path);
}

const isBmp = (bytes: Uint8Array): boolean => bytes[0] === 0x42 && bytes[1] === 0x4d;

async function bytesOf(files: DatasetFiles, path: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of files.read(path)) {
    length += piece.length;
    if (length > MAX_FILE) refuse(path, `the file is larger than ${MAX_FILE} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Limit for the masks of one image, in pixels of their boxes together. */
const MAX_AREA = 2 ** 29;

/** Where each value is. */
export function extentsByValue(values: Pixels, width: number): Map<number, Extent> {
  const extents = new Map<number, Extent>();
  eachRun(values, width, (value, x, y, end) => addRun(extents, value, x, y, end));
  return extents;
}

/** Adds a run to the extent of its value; runs come in the order of {@link eachRun}. */
export function addRun(extents: Map<number, Extent>, value: number, x: number, y: number, end: number): void {
  const extent = extents.get(value);
  if (extent === undefined) {
    extents.set(value, { left: x, top: y, right: end - 1, bottom: y, area: end - x });
    return;
  }
  extent.left = Math.min(extent.left, x);
  extent.right = Math.max(extent.right, end - 1);
  extent.bottom = y;
  extent.area += end - x;
}

/**
 * The pixels of each value, as the smallest bitmap, in the order of the values.
 * @throws FormatError if there are far more values than objects in any image
 */
export function bitmapsByValue({ width, values }: PixelValues, path: string): Map<number, Bitmap> {
  const boxes = extentsByValue(values, width);
  let area = 0;
  for (const { left, top, right, bottom } of boxes.values()) area += (right - left + 1) * (bottom - top + 1);
  if (area > MAX_AREA) refuse(path, `${boxes.size} different values are too many for a mask of this size`);
  const sorted = [...boxes].toSorted(([a], [b]) => a - b);
  const bitmaps = new Map(sorted.map(([value, box]) => [value, emptyBitmap(box)]));
  eachRun(values, width, (value, x, y, end) => {
    const bitmap = bitmaps.get(value);
    if (bitmap === undefined) return;
    const start = (y - bitmap.top) * bitmap.width - bitmap.left;
    bitmap.pixels.fill(1, start + x, start + end);
  });
  return bitmaps;
}

/** Receives a horizontal run of one value: its first column, its row, and the column after it. */
export type RunFound = (value: number, x: number, y: number, end: number) => void;

/** Calls back with every run of the pixels. */
export function eachRun(values: Pixels, width: number, found: RunFound): void {
  const pairs = pairsOf(values);
  for (let row = 0, y = 0; row < values.length; row += width, y++) {
    for (let x = 0; x < width;) {
      const value = values[row + x] ?? 0;
      const end = endOfRun(values, pairs, row + x, row + width) - row;
      found(value, x, y, end);
      x = end;
    }
  }
}

/** Pixels of 16 bits, two as one number: comparing them takes half the time. */
const pairsOf = (values: Pixels): Uint32Array | undefined =>
  values instanceof Uint16Array && values.byteOffset % 4 === 0
    ? new Uint32Array(values.buffer, values.byteOffset, values.length >> 1)
    : undefined;

/** @returns the first position after `start` with another value, or `limit` */
function endOfRun(values: Pixels, pairs: Uint32Array | undefined, start: number, limit: number): number {
  const value = values[start] ?? 0;
  let at = start + 1;
  if (pairs !== undefined) {
    if (at % 2 === 1 && at < limit && values[at] === value) at++;
    if (at % 2 === 0) {
      const pair = value * 0x10001;
      const last = limit >> 1;
      for (at /= 2; at < last && pairs[at] === pair;) at++;
      at *= 2;
    }
  }
  while (at < limit && values[at] === value) at++;
  return at;
}
