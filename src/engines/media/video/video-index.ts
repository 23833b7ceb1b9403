import { open, readFile, rename, rm } from 'node:fs/promises';
import { storageError } from '../media-error.js';
import type { VideoStream } from './video-probe.js';

/**
 * Where each frame of a video is. Frames are numbered in the order of showing, which is that of their time stamps;
 * those that an edit list hides are none.
 */
export interface VideoIndex extends VideoStream {
  /** Time stamp of each frame, ascending, in units of the time base. */
  readonly pts: Float64Array;
  /** Time stamps of the frames at which decoding can begin, ascending; empty: only at the beginning. */
  readonly keys: Float64Array;
  /** Whether time stamps tell frames apart after a jump; else frames are counted from the beginning. */
  readonly seekable: boolean;
}

/** The first place in an ascending list whose value is not below `value`. */
export function lowerBound(list: Float64Array, value: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Numbers and time stamps of the frames at which decoding can begin, in their order. */
export function keyframesOf({ pts, keys }: VideoIndex): { number: number; pts: number }[] {
  const frames: { number: number; pts: number }[] = [];
  for (const key of keys) {
    const number = lowerBound(pts, key);
    if (pts[number] === key) frames.push({ number, pts: key });
  }
  return frames;
}

const MAGIC = 'CairnVideoIndex1';

/** Writes an index; the file appears under its name when it is complete. */
export async function writeVideoIndex(path: string, { pts, keys, ...header }: VideoIndex): Promise<void> {
  const text = JSON.stringify({ ...header, frames: pts.length, keyframes: keys.length });
  const head = Buffer.from(`${MAGIC}\n${text}\n`);
  const padded = Buffer.concat([head, Buffer.alloc((8 - (head.length % 8)) % 8, ' ')]);
  const part = `${path}.part`;
  try {
    const file = await open(part, 'w');
    try {
      for (const piece of [padded, bytesOf(pts), bytesOf(keys)]) await file.appendFile(piece);
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw storageError(error);
  }
}

/** @returns undefined where there is no (complete) index */
export async function readVideoIndex(path: string): Promise<VideoIndex | undefined> {
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (content === undefined || !content.subarray(0, MAGIC.length).equals(Buffer.from(MAGIC))) return undefined;
  const end = content.indexOf('\n', MAGIC.length + 1);
  const { frames, keyframes, ...header } = JSON.parse(
    content.toString('utf8', MAGIC.length + 1, end),
  ) as VideoStream & {
    seekable: boolean;
    frames: number;
    keyframes: number;
  };
  const start = Math.ceil((end + 1) / 8) * 8;
  if (content.length !== start + 8 * (frames + keyframes)) return undefined;
  // A buffer of a file need not begin at a multiple of eight bytes in its memory.
  const numbers = new Float64Array(
    content.buffer.slice(content.byteOffset + start, content.byteOffset + content.length),
  );
  return { ...header, pts: numbers.subarray(0, frames), keys: numbers.subarray(frames) };
}

const bytesOf = (list: Float64Array): Buffer => Buffer.from(list.buffer, list.byteOffset, list.byteLength);
