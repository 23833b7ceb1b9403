import { readFile, writeFile } from 'node:fs/promises';
import { replaceFile } from '../../files/replace-file.js';
import { storageError } from '../media-error.js';
import type { PacketTable } from './packets.js';
import type { VideoStream } from './video-probe.js';

/**
 * The position of each frame of a video. Frames are numbered in display order, by their time stamps. Frames hidden by
 * an edit list are not counted.
 */
export interface VideoIndex extends VideoStream {
  /** Time stamp of each frame, ascending, in units of the time base. */
  readonly pts: Float64Array;
  /** Time stamps of the keyframes, ascending; empty: decoding can start only at the beginning. */
  readonly keys: Float64Array;
  /** Whether time stamps identify frames after a seek; otherwise frames are counted from the beginning. */
  readonly seekable: boolean;
  /** Positions of the frames' bytes; null if they cannot be read from the file individually. */
  readonly packets: PacketTable | null;
}

/** The first position in an ascending list whose value is at least `value`. */
export function lowerBound(list: Float64Array, value: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Numbers and time stamps of the keyframes, in order. */
export function keyframesOf({ pts, keys }: VideoIndex): { number: number; pts: number }[] {
  const frames: { number: number; pts: number }[] = [];
  for (const key of keys) {
    const number = lowerBound(pts, key);
    if (pts[number] === key) frames.push({ number, pts: key });
  }
  return frames;
}

/** @returns the average number of frames per second, or null if there is only one frame */
export function frameRateOf({ pts, timeBase: [units, perSecond] }: VideoIndex): number | null {
  const ticks = (pts.at(-1) ?? 0) - (pts[0] ?? 0);
  if (ticks <= 0) return null;
  return Math.round((1000 * (pts.length - 1) * perSecond) / (ticks * units)) / 1000;
}

const MAGIC = 'CairnVideoIndex3';
const NUMBER_BYTES = 8;

interface Header extends Omit<VideoStream, 'extradata'> {
  readonly extradata: string;
  readonly seekable: boolean;
  /** Number of values that follow, per list. */
  readonly frames: number;
  readonly keyframes: number;
  readonly packets: number;
}

/** Writes an index. The file gets its final name when it is complete. */
export async function writeVideoIndex(path: string, index: VideoIndex): Promise<void> {
  const { pts, keys, packets, extradata, ...header } = index;
  const written: Header = {
    ...header,
    extradata: extradata.toString('base64'),
    frames: pts.length,
    keyframes: keys.length,
    packets: packets?.pts.length ?? 0,
  };
  const head = Buffer.from(`${MAGIC}\n${JSON.stringify(written)}\n`);
  const padding = Buffer.alloc((NUMBER_BYTES - (head.length % NUMBER_BYTES)) % NUMBER_BYTES, ' ');
  const lists = [pts, keys, ...(packets === null ? [] : [packets.pts, packets.positions, packets.sizes])];
  try {
    await replaceFile(path, (part) => writeFile(part, [head, padding, ...lists.map(bytesOf)]));
  } catch (error) {
    throw storageError(error);
  }
}

/** @returns undefined if there is no complete index of the current version */
export async function readVideoIndex(path: string): Promise<VideoIndex | undefined> {
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (content === undefined || !content.subarray(0, MAGIC.length).equals(Buffer.from(MAGIC))) return undefined;
  const end = content.indexOf('\n', MAGIC.length + 1);
  const header = JSON.parse(content.toString('utf8', MAGIC.length + 1, end)) as Header;
  const { frames, keyframes, packets, extradata, ...rest } = header;
  const start = Math.ceil((end + 1) / NUMBER_BYTES) * NUMBER_BYTES;
  if (content.length !== start + NUMBER_BYTES * (frames + keyframes + 3 * packets)) return undefined;
  // The memory of a file's buffer may not be aligned to eight bytes.
  const numbers = new Float64Array(
    content.buffer.slice(content.byteOffset + start, content.byteOffset + content.length),
  );
  let taken = 0;
  const next = (length: number): Float64Array => numbers.subarray(taken, (taken += length));
  const [pts, keys] = [next(frames), next(keyframes)];
  return {
    ...rest,
    extradata: Buffer.from(extradata, 'base64'),
    pts,
    keys,
    packets: packets === 0 ? null : { pts: next(packets), positions: next(packets), sizes: next(packets) },
  };
}

const bytesOf = (list: Float64Array): Buffer => Buffer.from(list.buffer, list.byteOffset, list.byteLength);
