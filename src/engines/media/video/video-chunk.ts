import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharp, type Sharp } from '../libvips.js';
import { MediaError, quoted, storageError } from '../media-error.js';
import { storedZip, type ZipMember } from '../stored-zip.js';
import { ProgramFailure, runProgram } from '../program.js';
import { type VideoTools } from './ffmpeg.js';
import { decodeFrames, frameBytes, type IndexedVideo, type PictureFormat, withFrames } from './video-decoder.js';

/** A frame of the video; null stands for one outside the job, and becomes black. */
export type VideoSlot = number | null;
type Quality = 'compressed' | 'original';

export interface VideoChunkOptions {
  readonly quality: Quality;
  /** Of compressed chunks, 0 to 100. */
  readonly imageQuality: number;
  readonly signal?: AbortSignal | undefined;
}

const RATE = 25;
const TALLEST = 1080;
/** Constant rate factor of original chunks: no difference is seen. */
const ORIGINAL_RATE_FACTOR = 17;
const LARGEST_CHUNK = 500 * 2 ** 20;
const PREVIEW_SIDE = 256;
const PREVIEW_QUALITY = 75;

/** The size of frames of a video: compressed ones are halved until they have less than 1080 lines. */
export function videoFrameSize(
  { index: { width, height } }: IndexedVideo,
  quality: Quality,
): { width: number; height: number } {
  const halvings = Math.max(0, Math.floor(Math.log2(height / TALLEST)) + 1);
  const factor = quality === 'compressed' ? 2 ** halvings : 1;
  return { width: Math.max(1, Math.floor(width / factor)), height: Math.max(1, Math.floor(height / factor)) };
}

/**
 * A chunk of a video as a video: MP4 with H.264, yuv420p, 25 frames a second whatever the rate of the source. Sides are
 * rounded up to even numbers.
 * @param slots ascending
 * @throws MediaError that names the file
 */
export async function buildVideoChunk(
  tools: VideoTools,
  video: IndexedVideo,
  slots: readonly VideoSlot[],
  { quality, imageQuality, signal }: VideoChunkOptions,
): Promise<Buffer> {
  const size = videoFrameSize(video, quality);
  const format = { width: even(size.width), height: even(size.height), pixels: 'yuv420p' } as const;
  const factor = quality === 'original' ? ORIGINAL_RATE_FACTOR : Math.round((51 * (100 - imageQuality)) / 100);
  const folder = await mkdtemp(join(tmpdir(), 'cairn-chunk-'));
  try {
    return await withFrames(video, async (strategy) => {
      const path = join(folder, 'chunk.mp4');
      const frames = filled(decodeFrames(tools, video, ownFrames(slots), format, { strategy, signal }), slots, format);
      const args = encoderArgs(format, factor, slots.length, path);
      const output = runProgram(tools.ffmpeg, args, { name: video.name, input: frames, signal });
      for await (const _ of output); // it writes to a file, for the header of an MP4 comes last
      return await readFile(path);
    });
  } catch (error) {
    if (error instanceof ProgramFailure) throw encodingFailed(video, error);
    throw storageError(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * A chunk of a video as an archive of JPEGs `000000.jpeg`, `000001.jpeg`, … in full size.
 * @param slots ascending
 * @throws MediaError that names the file
 */
export function buildVideoImageChunk(
  tools: VideoTools,
  video: IndexedVideo,
  slots: readonly VideoSlot[],
  { quality, imageQuality, signal }: VideoChunkOptions,
): Promise<Buffer> {
  const { width, height } = video.index;
  const format = { width, height, pixels: 'rgb24' } as const;
  const jpegQuality = quality === 'original' ? 100 : Math.max(1, imageQuality);
  return withFrames(video, async (strategy) => {
    const members: Promise<ZipMember>[] = [];
    let total = 0;
    const frames = decodeFrames(tools, video, ownFrames(slots), format, { strategy, signal });
    for await (const frame of filled(frames, slots, format)) {
      const name = `${String(members.length).padStart(6, '0')}.jpeg`;
      const encoding = raw(frame, format).jpeg({ quality: jpegQuality, optimiseCoding: false }).toBuffer();
      members.push(encoding.then((data) => ({ name, data })));
      total += (await encoding).length;
      if (total > LARGEST_CHUNK) throw new MediaError(`The chunk is larger than ${LARGEST_CHUNK} bytes`);
    }
    return storedZip(await Promise.all(members));
  });
}

/** One frame, as PNG or JPEG. @throws MediaError that names the file */
export async function encodeVideoFrame(
  tools: VideoTools,
  video: IndexedVideo,
  frame: number,
  options: { readonly type: 'png' | 'jpeg'; readonly quality: Quality; readonly imageQuality: number },
): Promise<Buffer> {
  const size = options.type === 'png' ? videoFrameSize(video, options.quality) : video.index;
  const format = { width: size.width, height: size.height, pixels: 'rgb24' } as const;
  const image = raw(await decodeOne(tools, video, frame, format), format);
  if (options.type === 'jpeg') return image.jpeg({ quality: Math.max(1, options.imageQuality) }).toBuffer();
  // The least compression: a few milliseconds instead of a hundred, and the client waits for it.
  return image.png({ compressionLevel: 1 }).toBuffer();
}

/** One frame fitted into 256×256 pixels, its aspect kept, never enlarged, as JPEG. */
export async function encodeVideoPreview(tools: VideoTools, video: IndexedVideo, frame: number): Promise<Buffer> {
  const { width, height } = video.index;
  const scale = Math.min(1, PREVIEW_SIDE / Math.max(width, height));
  const fitted = (side: number): number => Math.max(1, Math.round(side * scale));
  const format = { width: fitted(width), height: fitted(height), pixels: 'rgb24' } as const;
  return raw(await decodeOne(tools, video, frame, format), format)
    .jpeg({ quality: PREVIEW_QUALITY })
    .toBuffer();
}

function decodeOne(tools: VideoTools, video: IndexedVideo, frame: number, format: PictureFormat): Promise<Buffer> {
  return withFrames(video, async (strategy) => {
    let found: Buffer | undefined;
    for await (const pixels of decodeFrames(tools, video, [frame], format, { strategy })) found = pixels;
    if (found === undefined) throw new Error('decodeFrames gives each frame or throws');
    return found;
  });
}

const raw = (pixels: Buffer, { width, height }: PictureFormat): Sharp =>
  sharp(pixels, { raw: { width, height, channels: 3 } });

const ownFrames = (slots: readonly VideoSlot[]): number[] => slots.filter((slot) => slot !== null);

/** Puts black frames in the places of null. */
async function* filled(
  frames: AsyncGenerator<Buffer>,
  slots: readonly VideoSlot[],
  format: PictureFormat,
): AsyncGenerator<Buffer> {
  try {
    for (const slot of slots) {
      const next = slot === null ? undefined : await frames.next();
      yield next === undefined || next.done === true ? blackFrame(format) : next.value;
    }
    // Whether all frames came is known once the last program has ended.
    await frames.next();
  } finally {
    await frames.return(undefined);
  }
}

function blackFrame(format: PictureFormat): Buffer {
  if (format.pixels === 'rgb24') return Buffer.alloc(frameBytes(format));
  const luma = format.width * format.height;
  return Buffer.alloc(frameBytes(format), 128).fill(16, 0, luma);
}

function encoderArgs({ width, height, pixels }: PictureFormat, factor: number, frames: number, path: string): string[] {
  const input = ['-f', 'rawvideo', '-pix_fmt', pixels, '-video_size', `${width}x${height}`, '-framerate', String(RATE)];
  const encoder = [
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-crf',
    String(factor),
    '-g',
    String(Math.min(frames, 36)),
  ];
  const output = ['-pix_fmt', pixels, '-threads', '2', '-movflags', '+faststart', '-f', 'mp4', `file:${path}`];
  return ['-v', 'error', '-y', '-protocol_whitelist', 'pipe,file', ...input, '-i', 'pipe:0', ...encoder, ...output];
}

const even = (side: number): number => side + (side % 2);

const encodingFailed = ({ name }: IndexedVideo, cause: ProgramFailure): MediaError =>
  new MediaError(`RuntimeError: A chunk of ${quoted(name)} cannot be encoded on this server`, { cause });
