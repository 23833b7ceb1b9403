import { sharp, type Sharp } from '../libvips.js';
import type { VideoTools } from './ffmpeg.js';
import type { FramePrograms } from './frame-programs.js';
import { decodeFrames, type IndexedVideo, type PictureFormat, type PictureSize, withFrames } from './video-decoder.js';

const PREVIEW_SIDE = 256;
const PREVIEW_QUALITY = 75;

/**
 * One frame, as PNG or JPEG.
 * @param source where its pixels are taken from: the video itself, or a chunk of it
 * @throws MediaError that names the file
 */
export async function encodeVideoFrame(
  { tools, programs }: VideoDecoders,
  source: { readonly video: IndexedVideo; readonly frame: number },
  { size, type, imageQuality }: FrameOptions,
): Promise<Buffer> {
  const { video, frame } = source;
  const format = { ...size, pixels: 'rgb24' } as const;
  const pixels = (await programs.decode(video, frame, size)) ?? (await decodeOne(tools, video, frame, format));
  const image = imageOfPixels(pixels, format);
  if (type === 'jpeg') return image.jpeg({ quality: Math.max(1, imageQuality) }).toBuffer();
  // The least compression: a few milliseconds instead of a hundred, and the client waits for it.
  return image.png({ compressionLevel: 1 }).toBuffer();
}

/** How frames of videos are decoded. */
export interface VideoDecoders {
  readonly tools: VideoTools;
  readonly programs: FramePrograms;
}

export interface FrameOptions {
  /** Pixels of the answer. */
  readonly size: PictureSize;
  readonly type: 'png' | 'jpeg';
  /** Of JPEG, 0 to 100. */
  readonly imageQuality: number;
}

/** One frame fitted into 256×256 pixels, its aspect kept, never enlarged, as JPEG. */
export async function encodeVideoPreview(tools: VideoTools, video: IndexedVideo, frame: number): Promise<Buffer> {
  const { width, height } = video.index;
  const scale = Math.min(1, PREVIEW_SIDE / Math.max(width, height));
  const fitted = (side: number): number => Math.max(1, Math.round(side * scale));
  const format = { width: fitted(width), height: fitted(height), pixels: 'rgb24' } as const;
  return imageOfPixels(await decodeOne(tools, video, frame, format), format)
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

/** @param pixels rgb24 */
export const imageOfPixels = (pixels: Buffer, { width, height }: PictureFormat): Sharp =>
  sharp(pixels, { raw: { width, height, channels: 3 } });
