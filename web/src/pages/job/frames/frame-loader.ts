import { type Reading, wantedChunks, wantedImages } from './look-ahead';
import type { FrameSet } from './frame-set';
import { WeightedCache } from './weighted-cache';

export type Quality = 'compressed' | 'original';

/** A decoded image. The loader closes it when it leaves the cache. */
export interface FrameImage {
  readonly width: number;
  readonly height: number;
  close(): void;
}

export interface FrameSource<Decoded extends FrameImage> {
  /** @param index of a chunk of the job */
  chunk(index: number, quality: Quality, signal: AbortSignal): Promise<Blob[]>;
  /** @param number of a frame in the task */
  frame(number: number, quality: Quality, signal: AbortSignal): Promise<Blob>;
  decode(image: Blob): Promise<Decoded>;
}

export interface LoaderOptions {
  /** False if chunks are not archives of images. Frames are then requested one by one. */
  readonly byChunk: boolean;
  /** Cache limit for compressed images in bytes. */
  readonly maxBytes?: number;
  /** Cache limit for decoded images in pixels. */
  readonly maxPixels?: number;
  /** How long to wait for a chunk before requesting its first wanted frame alone. */
  readonly patienceMs?: number;
}

const MAX_BYTES = 192 * 2 ** 20;
const MAX_PIXELS = 64 * 10 ** 6;
const PATIENCE_MS = 200;

/** Loads the frames of a job in one quality: each chunk once, with prefetching, within memory limits. */
export class FrameLoader<Decoded extends FrameImage> {
  private readonly images: WeightedCache<number, Blob[]>;
  private readonly bitmaps: WeightedCache<number, Decoded>;
  private readonly loading = new Map<number, { readonly images: Promise<Blob[]>; readonly abort: AbortController }>();
  private readonly decoding = new Map<number, Promise<Decoded>>();
  private readonly end = new AbortController();

  constructor(
    private readonly source: FrameSource<Decoded>,
    private readonly frames: FrameSet,
    private readonly quality: Quality,
    private readonly options: LoaderOptions,
  ) {
    this.images = new WeightedCache(options.maxBytes ?? MAX_BYTES);
    this.bitmaps = new WeightedCache(options.maxPixels ?? MAX_PIXELS, (bitmap) => bitmap.close());
  }

  /** @returns the image if it is decoded already */
  ready(number: number): Decoded | undefined {
    return this.bitmaps.get(number);
  }

  /** @throws errors of the source. They are not cached, so the next call retries. */
  bitmap(number: number): Promise<Decoded> {
    const found = this.bitmaps.get(number);
    if (found !== undefined) return Promise.resolve(found);
    const running = this.decoding.get(number);
    if (running !== undefined) return running;
    const decoding = this.load(number).finally(() => this.decoding.delete(number));
    this.decoding.set(number, decoding);
    return decoding;
  }

  /** @returns the encoded image for a thumbnail, if its chunk is loaded */
  image(number: number): Blob | undefined {
    const { chunk, at } = this.locate(number);
    return this.images.get(chunk)?.[at];
  }

  /** Prefetches upcoming frames and cancels other requests. */
  lookAhead(reading: Omit<Reading, 'chunkSize' | 'chunkCount'>): void {
    const whole = { ...reading, chunkSize: this.chunkSize, chunkCount: Math.ceil(this.frames.count / this.chunkSize) };
    const wanted = wantedChunks(whole);
    for (const [chunk, { abort }] of this.loading) if (!wanted.includes(chunk)) abort.abort();
    // Showing the frame reports the error.
    for (const chunk of wanted) this.chunk(chunk).catch(() => undefined);
    for (const position of wantedImages(whole, this.frames.count)) {
      const number = this.frames.numbers[position];
      if (number !== undefined && this.isCheap(number)) this.bitmap(number).catch(() => undefined);
    }
  }

  /** Cancels all requests and releases all images. */
  close(): void {
    this.end.abort();
    for (const { abort } of this.loading.values()) abort.abort();
    this.bitmaps.clear();
    this.images.clear();
  }

  private async load(number: number): Promise<Decoded> {
    const bitmap = await this.source.decode(await this.encoded(number));
    if (this.end.signal.aborted) {
      bitmap.close();
      throw this.end.signal.reason as Error;
    }
    this.bitmaps.set(number, bitmap, bitmap.width * bitmap.height);
    return bitmap;
  }

  /** Reads the frame from its chunk. If that is slow, also requests the frame alone; the first response is used. */
  private async encoded(number: number): Promise<Blob> {
    const { chunk, at } = this.locate(number);
    const fromChunk = this.chunk(chunk).then((images) => {
      const image = images[at];
      if (image === undefined) throw new Error(`The chunk has no image for frame ${number}.`);
      return image;
    });
    if (this.images.has(chunk) || this.chunkSize === 1) return fromChunk;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const abort = new AbortController();
    const alone = new Promise<Blob>((resolve, reject) => {
      timer = setTimeout(() => {
        const signal = AbortSignal.any([abort.signal, this.end.signal]);
        this.source.frame(number, this.quality, signal).then(resolve, reject);
      }, this.options.patienceMs ?? PATIENCE_MS);
      fromChunk.catch(reject);
    });
    try {
      // One of the two suffices. If both fail, report the first error.
      return await Promise.any([fromChunk, alone]).catch(() => fromChunk);
    } finally {
      clearTimeout(timer);
      abort.abort();
    }
  }

  private chunk(index: number): Promise<Blob[]> {
    const found = this.images.get(index);
    if (found !== undefined) return Promise.resolve(found);
    const running = this.loading.get(index);
    if (running !== undefined && !running.abort.signal.aborted) return running.images;
    const abort = new AbortController();
    const images = this.fetchChunk(index, abort.signal)
      .then((loaded) => {
        if (!this.end.signal.aborted)
          this.images.set(
            index,
            loaded,
            loaded.reduce((sum, { size }) => sum + size, 0),
          );
        return loaded;
      })
      .finally(() => {
        if (this.loading.get(index)?.abort === abort) this.loading.delete(index);
      });
    this.loading.set(index, { images, abort });
    return images;
  }

  private async fetchChunk(index: number, signal: AbortSignal): Promise<Blob[]> {
    if (this.options.byChunk) return this.source.chunk(index, this.quality, signal);
    const number = this.frames.numbers[index] ?? 0;
    return [await this.source.frame(number, this.quality, signal)];
  }

  /** Whether its chunk is loaded and its decoded image fits next to the current one. */
  private isCheap(number: number): boolean {
    const { width, height } = this.frames.info(number);
    const maxPixels = this.options.maxPixels ?? MAX_PIXELS;
    return this.images.has(this.locate(number).chunk) && width * height * 5 <= maxPixels;
  }

  /** Without chunks, every frame counts as a chunk. */
  private get chunkSize(): number {
    return this.options.byChunk ? this.frames.chunkSize : 1;
  }

  private locate(number: number): { readonly chunk: number; readonly at: number } {
    const position = this.frames.position(number);
    return { chunk: Math.floor(position / this.chunkSize), at: position % this.chunkSize };
  }
}
