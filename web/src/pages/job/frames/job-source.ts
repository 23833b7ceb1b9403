import { CairnError } from 'cairn-client';
import { api } from '../../../app/api';
import { readChunk, readContext } from './chunk';
import type { FrameSource } from './frame-loader';
import { type MediaQuery, mediaPath } from './media-path';

/** How often what is still being made is asked for. */
const MAX_ATTEMPTS = 6;

/** Frames of a job from the server, decoded by the browser. */
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
      throw new Error(`This browser cannot show a picture of type ${image.type}. Try the compressed one.`, {
        cause: error,
      });
    }
  },
});

/** Pictures beside a frame, with their names. */
export async function contextImages(jobId: number, number: number, signal: AbortSignal) {
  const response = await read(jobId, { type: 'context_image', number }, signal);
  return readContext(new Uint8Array(await response.arrayBuffer()));
}

async function read(jobId: number, query: MediaQuery, signal: AbortSignal): Promise<Response> {
  const path = mediaPath(jobId, query);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await api.send(path, { headers: { Accept: '*/*' }, signal });
    } catch (error) {
      const isBeingMade = error instanceof CairnError && error.status === 429;
      if (!isBeingMade || attempt === MAX_ATTEMPTS) throw error;
      await pause(attempt * 1000, signal);
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });
}
