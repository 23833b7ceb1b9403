import { readChunk } from './chunk';
import type { ArchiveMessage, ArchiveRequest } from './unpack';

/** Unpacks chunks of images outside the main thread, which would stall for the time. */
addEventListener('message', ({ data: { id, file } }: MessageEvent<ArchiveRequest>) => {
  const answer = (message: ArchiveMessage): void => postMessage(message);
  try {
    answer({ id, images: readChunk(new Uint8Array(file)) });
  } catch (error) {
    answer({ id, fault: error instanceof Error ? error.message : String(error) });
  }
});
