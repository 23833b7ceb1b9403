import type { DatasetFrame } from '../dataset.js';
import { type DatasetFiles, refuse } from '../format.js';
import { MISSING } from '../import-notes.js';
import { bmpSize, decodeBmp } from './bmp.js';
import { decodePng, pngHeader } from './png.js';
import { RunCollector, type RunBitmap, TooManyRuns, unionOf } from '../../run-bitmap.js';

/** One number for each pixel of an image, row by row: its gray value, or its colour as in `colorKey`. */
export interface PixelValues {
  readonly width: number;
  readonly height: number;
  readonly values: Uint32Array;
}

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
  const bytes = await bytesOf(files, path);
  if (bytes[0] === 0xff && bytes[1] === 0xd8) refuse(path, 'JPEG changes the colours of masks. Save it as PNG');
  const isBitmap = path.toLowerCase().endsWith('.bmp') || isBmp(bytes);
  const { width, height } = isBitmap ? bmpSize(bytes, path) : pngHeader(bytes, path);
  if (width !== frame.width || height !== frame.height) {
    refuse(path, `the mask has ${width} x ${height} pixels, but the image has ${frame.width} x ${frame.height}`);
  }
  const { channels, data } = isBitmap ? decodeBmp(bytes, path) : await decodePng(bytes, path);
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

/** Adds a run to the extent of its value; the rows of one value ascend. */
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

/** The most different values in one image, and the most runs of all. They take 200 MB. */
const MAX_VALUES = 100_000;
const MAX_RUNS = 2 ** 24;

/**
 * The pixels of each value, in the order of the values.
 * @throws FormatError if there are far more values or regions than in any image with objects
 */
export function bitmapsByValue({ width, values }: PixelValues, path: string): Map<number, RunBitmap> {
  const collectors = new Map<number, RunCollector>();
  let runs = 0;
  try {
    eachRun(values, width, (value, x, y, end) => {
      let collector = collectors.get(value);
      if (collector === undefined) collectors.set(value, (collector = new RunCollector()));
      collector.add(y, x, end);
      runs++;
      if (collectors.size > MAX_VALUES) refuse(path, `the image has more than ${MAX_VALUES} different values`);
      if (runs > MAX_RUNS) refuse(path, `the image has more than ${MAX_RUNS} runs of pixels`);
    });
  } catch (error) {
    if (error instanceof TooManyRuns) refuse(path, error.message, error);
    throw error;
  }
  const sorted = [...collectors].toSorted(([a], [b]) => a - b);
  return new Map(
    sorted.flatMap(([value, collector]) => {
      const bitmap = collector.bitmap();
      return bitmap === undefined ? [] : [[value, bitmap] as const];
    }),
  );
}

/** How many images are remembered. */
const MAX_KNOWN = 64;

/**
 * Reads images with masks that several objects can name. Each is decoded once, because a few bytes of a list can name a
 * large image again.
 */
export class MaskImages {
  private readonly known = new Map<string, Promise<Map<number, RunBitmap>>>();

  constructor(private readonly files: DatasetFiles) {}

  /** The pixels of each value, see {@link bitmapsByValue}. @throws FormatError, see {@link readMaskImage} */
  async bitmaps(path: string, kind: 'colors' | 'gray', frame: DatasetFrame): Promise<ReadonlyMap<number, RunBitmap>> {
    const key = `${frame.width} ${frame.height} ${path}`;
    const known = this.known.get(key) ?? this.read(path, kind, frame);
    this.known.delete(key);
    this.known.set(key, known);
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_KNOWN && oldest !== undefined) this.known.delete(oldest);
    return known;
  }

  /**
   * All pixels that are not black.
   * @returns undefined if annotations of unknown frames are left out
   * @throws FormatError if there are none
   */
  async foreground(path: string, kind: 'colors' | 'gray', frame: DatasetFrame): Promise<RunBitmap | undefined> {
    if (frame.frame === MISSING) return undefined;
    const bitmaps = await this.bitmaps(path, kind, frame);
    const others = [...bitmaps].filter(([value]) => value !== 0).map(([, bitmap]) => bitmap);
    return (others.length > 1 ? unionOf(others) : others[0]) ?? refuse(path, 'the mask is empty');
  }

  private async read(path: string, kind: 'colors' | 'gray', frame: DatasetFrame): Promise<Map<number, RunBitmap>> {
    return bitmapsByValue(await readMaskImage(this.files, path, kind, frame), path);
  }
}

/** Receives a horizontal run of one value: its first column, its row, and the column after it. */
type RunFound = (value: number, x: number, y: number, end: number) => void;

/** Calls back with every run of the pixels. */
function eachRun(values: Uint32Array, width: number, found: RunFound): void {
  for (let row = 0, y = 0; row < values.length; row += width, y++) {
    for (let x = 0; x < width;) {
      const value = values[row + x] ?? 0;
      let end = x + 1;
      while (end < width && values[row + end] === value) end++;
      found(value, x, y, end);
      x = end;
    }
  }
}
