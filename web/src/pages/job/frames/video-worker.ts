import { EncodedVideo } from './encoded-video';
import { FrameDecoder } from './frame-decoder';
import type { DecodedMessage, VideoMessage } from './video-messages';

/** Decodes frames of videos in a worker, one after the other. */
const chunks = new Map<number, EncodedVideo>();
const decoder = new FrameDecoder();
let previous: Promise<unknown> = Promise.resolve();

const post = (message: DecodedMessage, transfer: Transferable[]): void =>
  (self as unknown as Worker).postMessage(message, transfer);

self.addEventListener('message', ({ data }: MessageEvent<VideoMessage>) => {
  const { kind, chunk } = data;
  if (kind === 'close') chunks.delete(chunk);
  if (kind === 'open') chunks.set(chunk, new EncodedVideo(new Uint8Array(data.file)));
  if (kind === 'decode') void answer(data);
});

async function answer({ chunk, at, ticket }: VideoMessage & { kind: 'decode' }): Promise<void> {
  try {
    const video = chunks.get(chunk);
    if (video === undefined) throw new Error('The chunk is closed.');
    const decoding = previous.then(() => decoder.decode(video, at));
    previous = decoding.catch(() => undefined);
    const frame = await decoding;
    const bitmap = await createImageBitmap(frame).finally(() => frame.close());
    post({ ticket, bitmap }, [bitmap]);
  } catch (error) {
    post({ ticket, error: error instanceof Error ? error.message : String(error) }, []);
  }
}
