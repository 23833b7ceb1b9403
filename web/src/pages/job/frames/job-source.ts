import { takeResponse } from '../../../app/ahead';
import type { PointCloud } from '../point-cloud/point-cloud';
import { type FrameChunk, type FrameSource, UnreadableChunks } from './frame-loader';
import { type MediaQuery, mediaPath } from './media-path';
import { unpackChunk } from './unpack';

/** What a frame shows. */
export type FrameMedium = ImageBitmap | PointCloud;

/**
 * Loads frames of a job and decodes them in the browser. Uses a response that was requested early, if there is one.
 * @param isVideo whether chunks are videos
 */
export function jobSource(jobId: number, dimension: string, isVideo: boolean): FrameSource<FrameMedium> {
  const decode = dimension === '3d' ? decodePoints : decodeImage;
  let videos: Promise<Videos> | undefined;
  const openOnce = (): Promise<Videos> => {
    videos ??= openVideos().catch((error: unknown) => {
      videos = undefined; // the next call tries again
      throw error;
    });
    return videos;
  };
  return {
    async chunk(index, quality, signal) {
      const decoder = isVideo ? await openOnce() : undefined;
      const response = await read(jobId, { type: 'chunk', index, quality }, signal);
      const file = await response.arrayBuffer();
      return decoder === undefined ? archiveOf(await unpackChunk(file), decode) : decoder.open(file);
    },
    async frame(number, quality, signal) {
      const response = await read(jobId, { type: 'frame', number, quality }, signal);
      return archiveOf([await response.blob()], decode);
    },
    close: () => {
      videos?.then(
        (opened) => opened.close(),
        () => undefined, // it could not be opened
      );
    },
  };
}

/** Decodes chunks of videos. */
interface Videos {
  open(file: ArrayBuffer): FrameChunk<ImageBitmap>;
  close(): void;
}

/** @throws UnreadableChunks if this browser cannot decode videos */
async function openVideos(): Promise<Videos> {
  const { canDecodeVideos, VideoChunks } = await import('./video-chunks');
  if (await canDecodeVideos()) return new VideoChunks();
  const { canPlayVideos, PlayedVideos } = await import('./played-video');
  if (!canPlayVideos()) throw new UnreadableChunks();
  return new PlayedVideos();
}

/** A chunk of which every frame is a file. */
const archiveOf = (files: readonly Blob[], decode: (file: Blob) => Promise<FrameMedium>): FrameChunk<FrameMedium> => ({
  bytes: files.reduce((sum, { size }) => sum + size, 0),
  image: (at) => files[at],
  async decode(at) {
    const file = files[at];
    if (file === undefined) throw new Error(`The chunk has no frame ${at}.`);
    return decode(file);
  },
  close: () => undefined,
});

async function decodeImage(image: Blob): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(image);
  } catch (error) {
    throw new Error(`This browser cannot show images of type ${image.type}. Use compressed quality.`, { cause: error });
  }
}

async function decodePoints(file: Blob): Promise<PointCloud> {
  const { decodeCloud } = await import('../point-cloud/cloud-decoder');
  return decodeCloud(file);
}

async function read(jobId: number, query: MediaQuery, signal: AbortSignal): Promise<Response> {
  const ahead = await takeResponse(mediaPath(jobId, query))?.catch(() => undefined);
  if (ahead?.ok === true) return ahead;
  const { readMedia } = await import('./read-media');
  return readMedia(jobId, query, signal);
}
