import type { FrameChunk } from './frame-loader';
import type { DecodedMessage, VideoMessage } from './video-messages';

let support: Promise<boolean> | undefined;

/** Whether this browser can decode chunks of videos. Browsers offer WebCodecs to pages with HTTPS and of localhost only. */
export function canDecodeVideos(): Promise<boolean> {
  support ??= 'VideoDecoder' in globalThis ? probe() : Promise.resolve(false);
  return support;
}

async function probe(): Promise<boolean> {
  const config = { codec: 'avc1.640028', hardwareAcceleration: 'prefer-software' } as const;
  return VideoDecoder.isConfigSupported(config).then(
    ({ supported }) => supported === true,
    () => false,
  );
}

interface Waiting {
  readonly resolve: (bitmap: ImageBitmap) => void;
  readonly reject: (error: Error) => void;
}

/** Decodes chunks of videos in a worker. */
export class VideoChunks {
  private readonly worker = new Worker(new URL('./video-worker.ts', import.meta.url), { type: 'module' });
  private readonly waiting = new Map<number, Waiting>();
  private opened = 0;
  private tickets = 0;

  constructor() {
    this.worker.addEventListener('message', ({ data }: MessageEvent<DecodedMessage>) => {
      const waiting = this.waiting.get(data.ticket);
      this.waiting.delete(data.ticket);
      if ('error' in data) waiting?.reject(new Error(data.error));
      else waiting?.resolve(data.bitmap);
    });
    this.worker.addEventListener('error', ({ message }) => this.rejectAll(new Error(message)));
  }

  open(file: ArrayBuffer): FrameChunk<ImageBitmap> {
    const chunk = (this.opened += 1);
    const bytes = file.byteLength;
    this.post({ kind: 'open', chunk, file }, [file]);
    return {
      bytes,
      image: () => undefined,
      decode: (at) =>
        new Promise((resolve, reject) => {
          const ticket = (this.tickets += 1);
          this.waiting.set(ticket, { resolve, reject });
          this.post({ kind: 'decode', chunk, at, ticket }, []);
        }),
      close: () => this.post({ kind: 'close', chunk }, []),
    };
  }

  close(): void {
    this.worker.terminate();
    this.rejectAll(new Error('The frames are closed.'));
  }

  private rejectAll(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  private post(message: VideoMessage, transfer: Transferable[]): void {
    this.worker.postMessage(message, transfer);
  }
}
