import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { storageError } from '../media-error.js';
import { temporaryPath } from '../temporary.js';
import type { VideoTools } from './ffmpeg.js';
import { decodeFrames, type DecodeOptions, type IndexedVideo, withFrames } from './video-decoder.js';
import { encodePixels } from './video-frame.js';

/**
 * Maximum number of frames on disk. Each batch starts decoding at a keyframe, so smaller batches would decode more
 * frames twice.
 */
const BATCH = 256;

/**
 * Yields many frames of a video in full size, as PNG. A missing frame is detected only at the end of a run, so each
 * batch is decoded to a temporary folder before any of it is returned.
 * @param frames numbers in the video, ascending
 * @returns the images in the order of `frames`
 * @throws MediaError that names the file
 */
export async function* videoImages(
  tools: VideoTools,
  video: IndexedVideo,
  frames: readonly number[],
  decoding: Omit<DecodeOptions, 'strategy'> = {},
): AsyncGenerator<Buffer> {
  const { width, height } = video.index;
  const options = { size: { width, height }, type: 'png', imageQuality: 100 } as const;
  const folder = temporaryPath();
  const file = (position: number): string => join(folder, `${position}.png`);
  await mkdir(folder, { mode: 0o700 });
  try {
    for (let start = 0; start < frames.length; start += BATCH) {
      const batch = frames.slice(start, start + BATCH);
      await withFrames(video, async (strategy) => {
        const decoded = decodeFrames(
          tools,
          video,
          batch,
          { width, height, pixels: 'rgb24' },
          { ...decoding, strategy },
        );
        let position = 0;
        for await (const pixels of decoded) await writeFile(file(position++), await encodePixels(pixels, options));
      });
      for (const position of batch.keys()) yield await readFile(file(position));
    }
  } catch (error) {
    throw storageError(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
