import { open, readFile, rename, rm } from 'node:fs/promises';
import { storageError } from '../media-error.js';
import type { PacketTable } from './packets.js';
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
  /** Where the bytes of each frame are; null where they cannot be taken out of the file one by one. */
  readonly packets: PacketTable | null;
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

const MAGIC = 'CairnVideoIndex3';
const NUMBER_BYTES = 8;

interface Header extends Omit<VideoStream, 'extradata'> {
  readonly extradata: string;
  readonly seekable: boolean;
  /** How many numbers follow, list by list. */
  readonly frames: number;
  readonly keyframes: number;
  readonly packets: number;
}

/** Writes an index; the file appears under its name when it is complete. */
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
  const part = `${path}.part`;
  try {
    const file = await open(part, 'w');
    try {
      for (const piece of [head, padding, ...lists.map(bytesOf)]) await file.appendFile(piece);
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw storageError(error);
  }
}

/** @returns undefined where there is no (complete) index, or one of an older kind */
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
  // A buffer of a file need not begin at a multiple of eight bytes in its memory.
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
