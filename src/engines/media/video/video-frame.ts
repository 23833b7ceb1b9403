import { sharp, type Sharp } from '../libvips.js';
import type { VideoTools } from './ffmpeg.js';
import type { FramePrograms, FrameSource } from './frame-programs.js';
import { packetsFor } from './packets.js';
import {
  decodeFrames,
  frameBytes,
  type IndexedVideo,
  type VideoFrameFormat,
  type VideoFrameSize,
  scaling,
  withFrames,
} from './video-decoder.js';

const PREVIEW_SIDE = 256;
const PREVIEW_QUALITY = 75;

/** Decodes a frame from its packets; can be sent to another process. */
export interface VideoFrameJob {
  readonly kind: 'video-frame';
  /** The client's name for the file, for errors. */
  readonly name: string;
  readonly source: FrameSource;
  readonly options: FrameOptions;
  /** The output file: the result is too large to send between processes efficiently. */
  readonly target: string;
}

/**
 * Encodes one frame as PNG or JPEG.
 * @param source the video or chunk to read its pixels from
 * @throws MediaError that names the file
 */
export async function encodeVideoFrame(
  { tools, decode }: VideoDecoders,
  { video, frame }: { readonly video: IndexedVideo; readonly frame: number },
  options: FrameOptions,
): Promise<Buffer> {
  const source = frameSource(tools, video, frame, options.size);
  const quick = source && (await decode({ kind: 'video-frame', name: video.name, source, options }));
  return quick ?? encodePixels(await decodeOne(tools, video, frame, rgb(options.size)), options);
}

/** @returns undefined if packets cannot be read from the video */
export function frameSource(
  { ffmpeg }: VideoTools,
  { path, index }: IndexedVideo,
  frame: number,
  size: VideoFrameSize,
): FrameSource | undefined {
  const packets = packetsFor(path, index, frame);
  if (packets === undefined) return undefined;
  const format = rgb(size);
  // If the size is unchanged, no filter is needed: ffmpeg converts the pixels itself, and one program serves videos of
  // any size.
  const isOwn = size.width === index.width && size.height === index.height;
  const filters = [index.turn, isOwn ? '' : scaling(format)].filter(Boolean).join(',');
  return { packets, filters, bytes: frameBytes(format), ffmpeg };
}

/**
 * @returns undefined if this method cannot decode the frame
 * @throws MediaError if the program is missing
 */
export async function encodeSource(
  programs: FramePrograms,
  { source, options }: Pick<VideoFrameJob, 'source' | 'options'>,
): Promise<Buffer | undefined> {
  const pixels = await programs.decode(source);
  return pixels && encodePixels(pixels, options);
}

/** Methods of decoding video frames. */
export interface VideoDecoders {
  readonly tools: VideoTools;
  /** Runs {@link encodeSource}, in this process or another one. */
  readonly decode: (job: Omit<VideoFrameJob, 'target'>) => Promise<Buffer | undefined>;
}

export interface FrameOptions {
  /** Size of the result in pixels. */
  readonly size: VideoFrameSize;
  readonly type: 'png' | 'jpeg';
  /** JPEG quality, 0 to 100. */
  readonly imageQuality: number;
}

/** Encodes one frame as a JPEG preview: fits it into 256×256 pixels, keeps its aspect ratio, and never enlarges it. */
export async function encodeVideoPreview(tools: VideoTools, video: IndexedVideo, frame: number): Promise<Buffer> {
  const { width, height } = video.index;
  const scale = Math.min(1, PREVIEW_SIDE / Math.max(width, height));
  const fitted = (side: number): number => Math.max(1, Math.round(side * scale));
  const format = { width: fitted(width), height: fitted(height), pixels: 'rgb24' } as const;
  return imageOfPixels(await decodeOne(tools, video, frame, format), format)
    .jpeg({ quality: PREVIEW_QUALITY })
    .toBuffer();
}

function decodeOne(tools: VideoTools, video: IndexedVideo, frame: number, format: VideoFrameFormat): Promise<Buffer> {
  return withFrames(video, async (strategy) => {
    let found: Buffer | undefined;
    for await (const pixels of decodeFrames(tools, video, [frame], format, { strategy })) found = pixels;
    if (found === undefined) throw new Error('decodeFrames gives each frame or throws');
    return found;
  });
}

/** @param pixels rgb24 */
export function encodePixels(pixels: Buffer, { size, type, imageQuality }: FrameOptions): Promise<Buffer> {
  const image = imageOfPixels(pixels, rgb(size));
  if (type === 'jpeg') return image.jpeg({ quality: Math.max(1, imageQuality) }).toBuffer();
  // Minimal compression takes a few milliseconds instead of a hundred, while the client waits.
  return image.png({ compressionLevel: 1 }).toBuffer();
}

const rgb = (size: VideoFrameSize) => ({ ...size, pixels: 'rgb24' }) as const;

/** @param pixels rgb24 */
export const imageOfPixels = (pixels: Buffer, { width, height }: VideoFrameFormat): Sharp =>
  sharp(pixels, { raw: { width, height, channels: 3 } });
