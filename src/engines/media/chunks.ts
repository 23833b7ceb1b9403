import { crc32 } from 'node:zlib';
import type { FrameRange } from './segments.js';

/** A chunk number that the task or job does not have. The client receives this message. */
export class ChunkOutOfRange extends RangeError {
  override name = 'ChunkOutOfRange';

  constructor(requested: number, range: FrameRange) {
    super(
      `Invalid chunk number '${requested}'. ` +
        `The chunk number should be in the [${range.start}, ${range.stop}] range`,
    );
  }
}

const videoChunkSize = 36;

/**
 * Default number of frames per chunk. Video chunks: 36. Image sets: as many frames as have the pixels of 36 full-HD
 * images, max(2, min(72, ⌊36·1920·1080 / (w·h)⌋)).
 * @param first size of the first frame in pixels
 */
export function defaultChunkSize(chunkType: 'imageset' | 'video', first: { width: number; height: number }): number {
  if (chunkType === 'video') return videoChunkSize;
  return Math.max(2, Math.min(72, Math.floor((36 * 1920 * 1080) / (first.width * first.height))));
}

/** The task's chunk that contains a task frame. */
export function chunkOfFrame(frame: number, chunkSize: number): number {
  return Math.floor(frame / chunkSize);
}

/**
 * The task frames in chunk `number` of a task: [n·chunkSize, (n+1)·chunkSize − 1], limited to the task's size.
 * @throws ChunkOutOfRange
 */
export function taskChunkFrames(number: number, chunkSize: number, size: number): number[] {
  const range = { start: 0, stop: chunkOfFrame(size - 1, chunkSize) };
  requireInRange(number, range);
  return sequence(number * chunkSize, Math.min((number + 1) * chunkSize, size) - 1);
}

/** The task frames of a job: the whole range, or the `included` frames (ascending). */
export interface JobFrames extends FrameRange {
  included?: readonly number[];
}

/** A frame in a job's chunk; null stands for a black 1×1 image in place of a frame that the job does not have. */
export type ChunkSlot = number | null;

/** The range of a job's chunk indexes, which count groups of the job's own frames. */
export function jobIndexRange(job: JobFrames, chunkSize: number): FrameRange {
  return { start: 0, stop: chunkOfFrame(Math.max(ownFrames(job).length, 1) - 1, chunkSize) };
}

/** The range of a job's chunk numbers: the task's chunks that overlap the job. */
export function jobNumberRange(job: FrameRange, chunkSize: number): FrameRange {
  return { start: chunkOfFrame(job.start, chunkSize), stop: chunkOfFrame(job.stop, chunkSize) };
}

/**
 * The task frames in the job's chunk `index`: the index-th group of chunkSize frames of the job.
 * @throws ChunkOutOfRange
 */
export function jobChunkByIndex(job: JobFrames, chunkSize: number, index: number): number[] {
  requireInRange(index, jobIndexRange(job, chunkSize));
  return ownFrames(job).slice(index * chunkSize, (index + 1) * chunkSize);
}

/**
 * Chunk `number` of the task, limited to the job's range. Frames in the range that are not included become null.
 * @throws ChunkOutOfRange
 */
export function jobChunkByNumber(job: JobFrames, chunkSize: number, number: number): ChunkSlot[] {
  requireInRange(number, jobNumberRange(job, chunkSize));
  const first = Math.max(job.start, number * chunkSize);
  const last = Math.min(job.stop, (number + 1) * chunkSize - 1);
  const included = job.included && new Set(job.included);
  return sequence(first, last).map((frame) => (!included || included.has(frame) ? frame : null));
}

function ownFrames(job: JobFrames): readonly number[] {
  return job.included ?? sequence(job.start, job.stop);
}

function requireInRange(requested: number, range: FrameRange): void {
  const valid = Number.isInteger(requested) && requested >= range.start && requested <= range.stop;
  if (!valid) throw new ChunkOutOfRange(requested, range);
}

function sequence(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
}

const checkedBytes = 1000;

/**
 * The `X-Checksum` of a chunk: CRC-32 of its first 1000 bytes, seeded with the CRC-32 of its length in decimal digits.
 * Returned as a decimal number.
 */
export function chunkChecksum(chunk: Buffer): string {
  const seed = crc32(String(chunk.length));
  return String(crc32(chunk.subarray(0, checkedBytes), seed));
}
