import { takeResponse } from '../../../app/ahead';
import { readChunk } from './chunk';
import type { PointCloud } from '../point-cloud/point-cloud';
import type { FrameSource } from './frame-loader';
import { type MediaQuery, mediaPath } from './media-path';

/** What a frame shows. */
export type FrameMedium = ImageBitmap | PointCloud;

/** Loads frames of a job and decodes them in the browser. Uses a response that was requested early, if there is one. */
export const jobSource = (jobId: number, dimension: string): FrameSource<FrameMedium> => ({
  async chunk(index, quality, signal) {
    const response = await read(jobId, { type: 'chunk', index, quality }, signal);
    return readChunk(new Uint8Array(await response.arrayBuffer()));
  },
  async frame(number, quality, signal) {
    return (await read(jobId, { type: 'frame', number, quality }, signal)).blob();
  },
  decode: dimension === '3d' ? decodePoints : decodeImage,
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
