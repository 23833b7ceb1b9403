import { readMp4Samples } from '#shared/mp4-samples';
import { type FrameChunk, UnreadableChunks } from './frame-loader';

/** How long a seek may take before the browser is not trusted with it. */
const SEEK_MS = 5000;
/** A browser that does not show the frame it was asked for is asked again, further into the frame. */
const POSITIONS = [0.5, 0.75, 0.9];

/**
 * Whether this browser says which frame a `<video>` shows, and can decode chunks. Unlike WebCodecs, that needs no HTTPS.
 */
export const canPlayVideos = (): boolean =>
  'requestVideoFrameCallback' in HTMLVideoElement.prototype &&
  document.createElement('video').canPlayType('video/mp4; codecs="avc1.640028"') !== '';

/**
 * Decodes chunks of videos with a `<video>` element: it seeks to the frame, and the browser reports the time stamp of the
 * frame that it shows. Any other frame than the requested one is an error.
 */
export class PlayedVideos {
  private readonly chunks = new Set<PlayedChunk>();

  open(file: ArrayBuffer): FrameChunk<ImageBitmap> {
    const chunk = new PlayedChunk(file);
    this.chunks.add(chunk);
    return {
      bytes: file.byteLength,
      image: () => undefined,
      decode: (at) => chunk.decode(at),
      close: () => {
        this.chunks.delete(chunk);
        chunk.close();
      },
    };
  }

  close(): void {
    for (const chunk of this.chunks) chunk.close();
    this.chunks.clear();
  }
}

class PlayedChunk {
  private readonly video = document.createElement('video');
  private readonly url: string;
  /** Time stamps in the order of display, in units of the file. */
  private readonly times: Float64Array;
  private readonly timescale: number;
  private readonly ready: Promise<void>;
  private previous: Promise<unknown>;

  constructor(file: ArrayBuffer) {
    const { pts, timescale } = readMp4Samples(new Uint8Array(file));
    this.times = pts.toSorted();
    this.timescale = timescale;
    this.url = URL.createObjectURL(new Blob([file], { type: 'video/mp4' }));
    this.video.muted = true;
    this.video.preload = 'auto';
    this.ready = new Promise((resolve, reject) => {
      this.video.addEventListener('loadeddata', () => resolve(), { once: true });
      this.video.addEventListener('error', () => reject(new UnreadableChunks()), { once: true });
    });
    this.previous = this.ready.catch(() => undefined);
    this.video.src = this.url;
  }

  /** Decodes a frame after those that were requested before. @param at position of the frame in the chunk */
  decode(at: number): Promise<ImageBitmap> {
    const decoding = this.previous.then(() => this.frame(at));
    this.previous = decoding.catch(() => undefined);
    return decoding;
  }

  close(): void {
    this.video.removeAttribute('src');
    this.video.load();
    URL.revokeObjectURL(this.url);
  }

  private async frame(at: number): Promise<ImageBitmap> {
    await this.ready;
    for (const position of POSITIONS) {
      const shown = await this.seek(this.timeOf(at, position));
      if (this.positionAt(shown) === at) return createImageBitmap(this.video);
    }
    throw new UnreadableChunks();
  }

  /** @returns the time stamp of the frame that is shown after a seek, in seconds */
  private seek(time: number): Promise<number> {
    const { video } = this;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new UnreadableChunks()), SEEK_MS);
      video.requestVideoFrameCallback((_now, { mediaTime }) => {
        clearTimeout(timer);
        resolve(mediaTime);
      });
      video.currentTime = time;
    });
  }

  /** A time in a frame, in seconds. @param share 0: its start, 1: its end */
  private timeOf(at: number, share: number): number {
    const { times } = this;
    const start = times[at] ?? 0;
    const before = times[at - 1] ?? start - this.timescale;
    const end = times[at + 1] ?? 2 * start - before;
    return (start + (end - start) * share) / this.timescale;
  }

  /** The frame with a time stamp, in seconds. */
  private positionAt(seconds: number): number {
    const distances = Array.from(this.times, (time) => Math.abs(time / this.timescale - seconds));
    return distances.indexOf(Math.min(...distances));
  }
}
