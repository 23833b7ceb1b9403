import { CairnError } from 'cairn-client';
import { api } from '../../../app/api';
import { readContext } from './chunk';
import { type MediaQuery, mediaPath } from './media-path';

/** Polling interval while the server still creates a chunk. */
const MAX_ATTEMPTS = 6;

/** Context images of a frame with their names. */
export async function contextImages(jobId: number, number: number, signal: AbortSignal) {
  const response = await readMedia(jobId, { type: 'context_image', number }, signal);
  return readContext(new Uint8Array(await response.arrayBuffer()));
}

/** @throws CairnError for error responses, and if the media is not ready after the last attempt */
export async function readMedia(jobId: number, query: MediaQuery, signal: AbortSignal): Promise<Response> {
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
