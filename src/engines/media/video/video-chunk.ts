import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readMp4Samples } from '../../../shared/mp4-samples.js';
import { placeholderFrame } from '../image-encode.js';
import { MediaError, quoted, storageError } from '../media-error.js';
import { storedZip, type ZipMember } from '../stored-zip.js';
import { ProgramFailure, runProgram } from '../program.js';
import { temporaryPath } from '../temporary.js';
import { type VideoTools } from './ffmpeg.js';
import {
  decodeFrames,
  frameBytes,
  type IndexedVideo,
  type VideoFrameFormat,
  type VideoFrameSize,
  withFrames,
} from './video-decoder.js';
import type { VideoIndex } from './video-index.js';
import { imageOfPixels } from './video-frame.js';
import type { VideoColours } from './colours.js';

/**
 * A frame of the video. Null stands for a frame outside the job: a black 1×1 JPEG in an archive, a black frame in a
 * video.
 */
export type VideoSlot = number | null;
type Quality = 'compressed' | 'original';

export interface VideoChunkOptions {
  readonly quality: Quality;
  /** Quality of compressed chunks, 0 to 100. */
  readonly imageQuality: number;
  readonly signal?: AbortSignal | undefined;
  /** Niceness relative to the server, for chunks that no client waits for. */
  readonly niceness?: number | undefined;
  /** Pauses before a frame while more urgent work is running, up to the given time. */
  readonly giveWay?: ((mostMs: number) => Promise<void>) | undefined;
}

const RATE = 25;
/** Time base, in seconds, of an MP4 with 25 frames per second, and units between two frames. */
const CHUNK_TIME_BASE = [1, 12_800] as const;
const CHUNK_FRAME_UNITS = CHUNK_TIME_BASE[1] / RATE;
/** Number of frames between keyframes of a chunk: a single frame is decoded from the preceding keyframe. */
const CHUNK_GROUP = 12;
/** Without arithmetic coding, decoding takes two thirds of the time, and chunks are 10 % larger. */
const QUICK_DECODING = ['-coder', 'vlc'];
const TALLEST = 1080;
/** Constant rate factor of original chunks: visually lossless. */
const ORIGINAL_RATE_FACTOR = 17;
const LARGEST_CHUNK = 500 * 2 ** 20;
/** Maximum total pause per chunk: the encoder writes nothing until it is finished, and would be considered stuck. */
const MAX_WAITING_MS = 60_000;

/** The size of a video's frames in chunks: compressed ones are halved until they have less than 1080 lines. */
export function videoFrameSize({ index: { width, height } }: IndexedVideo, quality: Quality): VideoFrameSize {
  const halvings = Math.max(0, Math.floor(Math.log2(height / TALLEST)) + 1);
  const factor = quality === 'compressed' ? 2 ** halvings : 1;
  return { width: Math.max(1, Math.floor(width / factor)), height: Math.max(1, Math.floor(height / factor)) };
}

/**
 * Builds chunks as videos: MP4 with H.264, yuv420p, 25 frames per second regardless of the source. Sides are rounded up
 * to even numbers. Decodes the video once for all chunks.
 * @param chunks the frames of each chunk, ascending over all
 * @throws MediaError that names the file
 */
export async function buildVideoChunks(
  tools: VideoTools,
  video: IndexedVideo,
  chunks: readonly (readonly VideoSlot[])[],
  { quality, imageQuality, giveWay, ...decoding }: VideoChunkOptions,
): Promise<Buffer[]> {
  const format = { ...chunkSize(video, quality), pixels: 'yuv420p' } as const;
  const factor = quality === 'original' ? ORIGINAL_RATE_FACTOR : Math.round((51 * (100 - imageQuality)) / 100);
  const folder = temporaryPath();
  await mkdir(folder, { mode: 0o700 });
  const path = join(folder, 'chunk.mp4');
  const encode = async (frames: AsyncIterable<Buffer | null>, count: number): Promise<Buffer> => {
    const args = encoderArgs(format, { factor, frames: count, colours: video.index.colours, path });
    const input = withBlack(frames, format);
    const output = runProgram(tools.ffmpeg, args, { ...decoding, name: video.name, input });
    for await (const _ of output); // the output is a file, since the header of an MP4 is written last
    return readFile(path);
  };
  try {
    return await eachChunk({ tools, video, chunks, format, decoding, giveWay }, encode);
  } catch (error) {
    if (error instanceof ProgramFailure) throw encodingFailed(video, error);
    throw storageError(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Builds chunks as archives of JPEGs `000000.jpeg`, `000001.jpeg`, … in full size. Decodes the video once for all
 * chunks.
 * @param chunks the frames of each chunk, ascending over all
 * @throws MediaError that names the file
 */
export function buildVideoImageChunks(
  tools: VideoTools,
  video: IndexedVideo,
  chunks: readonly (readonly VideoSlot[])[],
  { quality, imageQuality, giveWay, ...decoding }: VideoChunkOptions,
): Promise<Buffer[]> {
  const { width, height } = video.index;
  const format = { width, height, pixels: 'rgb24' } as const;
  const jpegQuality = quality === 'original' ? 100 : Math.max(1, imageQuality);
  return eachChunk({ tools, video, chunks, format, decoding, giveWay }, async (frames) => {
    const members: ZipMember[] = [];
    let total = 0;
    for await (const frame of frames) {
      const data =
        frame === null
          ? await placeholderFrame()
          : await imageOfPixels(frame, format).jpeg({ quality: jpegQuality, optimiseCoding: false }).toBuffer();
      members.push({ name: `${String(members.length).padStart(6, '0')}.jpeg`, data });
      total += data.length;
      if (total > LARGEST_CHUNK) throw new MediaError(`The chunk is larger than ${LARGEST_CHUNK} bytes`);
    }
    return storedZip(members);
  });
}

/** Decodes the frames of several chunks in one pass. @param encode reads all frames of one chunk */
function eachChunk(
  { tools, video, chunks, format, decoding, giveWay }: ChunkJob,
  encode: (frames: AsyncIterable<Buffer | null>, count: number) => Promise<Buffer>,
): Promise<Buffer[]> {
  const slots = chunks.flat();
  return withFrames(video, async (strategy) => {
    const decoded = decodeFrames(tools, video, ownFrames(slots), format, { ...decoding, strategy });
    const frames = filled(decoded, slots);
    try {
      const built: Buffer[] = [];
      for (const { length } of chunks) built.push(await encode(first(frames, length, giveWay), length));
      // Missing frames are detected only when the last program has exited.
      await frames.next();
      return built;
    } finally {
      await frames.return(undefined);
    }
  });
}

interface ChunkJob {
  readonly tools: VideoTools;
  readonly video: IndexedVideo;
  readonly chunks: readonly (readonly VideoSlot[])[];
  readonly format: VideoFrameFormat;
  readonly decoding: { readonly signal?: AbortSignal | undefined; readonly niceness?: number | undefined };
  readonly giveWay: VideoChunkOptions['giveWay'];
}

/** Yields the next frames, and leaves the following ones unread. */
async function* first(
  frames: AsyncGenerator<Buffer | null>,
  count: number,
  giveWay: VideoChunkOptions['giveWay'],
): AsyncGenerator<Buffer | null> {
  let left = MAX_WAITING_MS;
  for (let at = 0; at < count; at += 1) {
    const began = performance.now();
    await giveWay?.(left);
    left -= performance.now() - began;
    const next = await frames.next();
    if (next.done === true) return;
    yield next.value;
  }
}

/**
 * Opens a chunk created by {@link buildVideoChunks} as a video whose frames are numbered from 0.
 * @param source the video that the chunk was built from
 * @param path absolute
 */
export async function videoOfChunk(source: IndexedVideo, path: string): Promise<IndexedVideo> {
  const { keys, extradata, ...packets } = readMp4Samples(await readFile(path));
  const pts = packets.pts.toSorted();
  const index: VideoIndex = {
    ...chunkSize(source, 'compressed'),
    stream: 0,
    codec: 'h264',
    container: 'mp4',
    colours: source.index.colours,
    extradata: Buffer.from(extradata),
    turn: '',
    timeBase: CHUNK_TIME_BASE,
    seeksEarly: false,
    duration: pts.length * CHUNK_FRAME_UNITS,
    pts,
    keys,
    seekable: true,
    packets,
  };
  return { path, name: source.name, index };
}

const ownFrames = (slots: readonly VideoSlot[]): number[] => slots.filter((slot) => slot !== null);

/** Inserts null wherever slots contain it. */
async function* filled(frames: AsyncGenerator<Buffer>, slots: readonly VideoSlot[]): AsyncGenerator<Buffer | null> {
  try {
    for (const slot of slots) {
      const next = slot === null ? undefined : await frames.next();
      // Missing frames are detected below.
      yield next === undefined || next.done === true ? null : next.value;
    }
    // Missing frames are detected only when the last program has exited.
    await frames.next();
  } finally {
    await frames.return(undefined);
  }
}

async function* withBlack(frames: AsyncIterable<Buffer | null>, format: VideoFrameFormat): AsyncGenerator<Buffer> {
  for await (const frame of frames) yield frame ?? blackFrame(format);
}

const chunkSize = (video: IndexedVideo, quality: Quality): VideoFrameSize => {
  const { width, height } = videoFrameSize(video, quality);
  return { width: even(width), height: even(height) };
};

/** @param format a YCbCr format */
function blackFrame(format: VideoFrameFormat): Buffer {
  const luma = format.width * format.height;
  return Buffer.alloc(frameBytes(format), 128).fill(16, 0, luma);
}

interface Encoding {
  /** Constant rate factor. */
  readonly factor: number;
  readonly frames: number;
  readonly colours: VideoColours;
  /** Absolute path. */
  readonly path: string;
}

function encoderArgs({ width, height, pixels }: VideoFrameFormat, encoding: Encoding): string[] {
  const { factor, frames, colours, path } = encoding;
  const input = ['-f', 'rawvideo', '-pix_fmt', pixels, '-video_size', `${width}x${height}`, '-framerate', String(RATE)];
  const encoder = [
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-crf',
    String(factor),
    '-g',
    String(Math.min(frames, CHUNK_GROUP)),
    ...QUICK_DECODING,
    ...tagging(colours),
  ];
  const output = ['-pix_fmt', pixels, '-threads', '2', '-movflags', '+faststart', '-f', 'mp4', `file:${path}`];
  return ['-v', 'error', '-y', '-protocol_whitelist', 'pipe,file', ...input, '-i', 'pipe:0', ...encoder, ...output];
}

/** Copies the colour properties of the video to the chunk: without them players guess wrong for HD. */
function tagging({ matrix, primaries, transfer }: VideoColours): string[] {
  const tags = Object.entries({ colormatrix: matrix, colorprim: primaries, transfer });
  const known = tags.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${value}`);
  return known.length === 0 ? [] : ['-x264-params', ['range=tv', ...known].join(':')];
}

const even = (side: number): number => side + (side % 2);

const encodingFailed = ({ name }: IndexedVideo, cause: ProgramFailure): MediaError =>
  new MediaError(`RuntimeError: A chunk of ${quoted(name)} cannot be encoded on this server`, { cause });
