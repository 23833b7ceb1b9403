import { takeResponse } from '../../../app/ahead';
import { readChunk } from './chunk';
import type { FrameSource } from './frame-loader';
import { type MediaQuery, mediaPath } from './media-path';

/** Loads frames of a job and decodes them in the browser. Uses a response that was requested early, if there is one. */
export const jobSource = (jobId: number): FrameSource<ImageBitmap> => ({
  async chunk(index, quality, signal) {
    const response = await read(jobId, { type: 'chunk', index, quality }, signal);
    return readChunk(new Uint8Array(await response.arrayBuffer()));
  },
  async frame(number, quality, signal) {
    return (await read(jobId, { type: 'frame', number, quality }, signal)).blob();
  },
  async decode(image) {
    try {
      return await createImageBitmap(image);
    } catch (error) {
      throw new Error(`This browser cannot show images of type ${image.type}. Use compressed quality.`, {
        cause: error,
      });
    }
  },
});

async function read(jobId: number, query: MediaQuery, signal: AbortSignal): Promise<Response> {
  const ahead = await takeResponse(mediaPath(jobId, query))?.catch(() => undefined);
  if (ahead?.ok === true) return ahead;
  const { readMedia } = await import('./read-media');
  return readMedia(jobId, query, signal);
}
