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

/** Encoded frames that were loaded together. */
export interface FrameChunk<Decoded extends FrameImage> {
  readonly bytes: number;
  /**
   * @param at position of the frame in the chunk
   * @throws UnreadableChunks
   */
  decode(at: number): Promise<Decoded>;
  /** @returns the frame as an encoded image of its own, if it is one */
  image(at: number): Blob | undefined;
  close(): void;
}

export interface FrameSource<Decoded extends FrameImage> {
  /**
   * @param index of a chunk of the job
   * @throws UnreadableChunks
   */
  chunk(index: number, quality: Quality, signal: AbortSignal): Promise<FrameChunk<Decoded>>;
  /**
   * @param number of a frame in the task
   * @returns a chunk of this frame
   */
  frame(number: number, quality: Quality, signal: AbortSignal): Promise<FrameChunk<Decoded>>;
  close(): void;
}

/** This browser can show single frames, but no chunks. */
export class UnreadableChunks extends Error {
  constructor() {
    super('This browser cannot decode chunks of this type.');
  }
}

export interface LoaderOptions {
  /** Cache limit for encoded frames in bytes. */
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
  private readonly chunks: WeightedCache<number, FrameChunk<Decoded>>;
  private readonly bitmaps: WeightedCache<number, Decoded>;
  private readonly loading = new Map<number, LoadingChunk<Decoded>>();
  private readonly decoding = new Map<number, Promise<Decoded>>();
  private readonly end = new AbortController();
  /** False: frames are requested one by one. */
  private isByChunk = true;

  constructor(
    private readonly source: FrameSource<Decoded>,
    private readonly frames: FrameSet,
    private readonly quality: Quality,
    private readonly options: LoaderOptions = {},
  ) {
    this.chunks = new WeightedCache(options.maxBytes ?? MAX_BYTES, (chunk) => chunk.close());
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

  /**
   * The image for a thumbnail.
   * @param decodes whether to decode frames of videos that are not decoded yet
   * @returns undefined if it is not loaded
   */
  image(number: number, decodes: boolean): Blob | Decoded | Promise<Decoded> | undefined {
    const { chunk: index, at } = this.locate(number);
    const chunk = this.chunks.get(index);
    const known = chunk?.image(at) ?? this.bitmaps.get(number);
    return known ?? (decodes && chunk !== undefined ? this.bitmap(number) : undefined);
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
      if (number !== undefined) this.prepare(number);
    }
  }

  /** Decodes a frame that will be shown soon, if its chunk is loaded. */
  prepare(number: number): void {
    // Showing the frame reports the error.
    if (this.isCheap(number)) this.bitmap(number).catch(() => undefined);
  }

  /** Number of images that are being loaded or decoded. */
  get pending(): number {
    return this.decoding.size;
  }

  /** Cancels all requests and releases all images. */
  close(): void {
    this.end.abort();
    for (const { abort } of this.loading.values()) abort.abort();
    this.bitmaps.clear();
    this.chunks.clear();
    this.source.close();
  }

  private async load(number: number): Promise<Decoded> {
    const { chunk, at } = await this.find(number);
    const bitmap = await chunk.decode(at).catch((error: unknown) => {
      if (!(error instanceof UnreadableChunks) || !this.isByChunk) throw error;
      this.leaveChunks();
    });
    if (bitmap === undefined) return this.load(number);
    if (this.end.signal.aborted) {
      bitmap.close();
      throw this.end.signal.reason as Error;
    }
    this.bitmaps.set(number, bitmap, bitmap.width * bitmap.height);
    return bitmap;
  }

  /** Loads the chunk of a frame. If that is slow, also requests the frame alone; the first response is used. */
  private async find(number: number): Promise<FoundFrame<Decoded>> {
    const { chunk: index, at } = this.locate(number);
    const fromChunk = this.chunk(index).then((chunk) => ({ chunk, at }));
    if (this.chunks.has(index) || !this.isByChunk) return fromChunk;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const abort = new AbortController();
    const alone = new Promise<FoundFrame<Decoded>>((resolve, reject) => {
      timer = setTimeout(() => {
        const signal = AbortSignal.any([abort.signal, this.end.signal]);
        this.source.frame(number, this.quality, signal).then((chunk) => resolve({ chunk, at: 0 }), reject);
      }, this.options.patienceMs ?? PATIENCE_MS);
      fromChunk.catch(reject);
    });
    try {
      // One of the two suffices. If both fail, report the first error.
      return await Promise.any([fromChunk, alone]).catch(() => fromChunk);
    } catch (error) {
      if (!(error instanceof UnreadableChunks)) throw error;
      this.leaveChunks();
      return await this.find(number);
    } finally {
      clearTimeout(timer);
      abort.abort();
    }
  }

  /** Requests frames one by one from now on. */
  private leaveChunks(): void {
    this.isByChunk = false;
    for (const { abort } of this.loading.values()) abort.abort();
    this.loading.clear();
    this.chunks.clear();
  }

  private chunk(index: number): Promise<FrameChunk<Decoded>> {
    const found = this.chunks.get(index);
    if (found !== undefined) return Promise.resolve(found);
    const running = this.loading.get(index);
    if (running !== undefined && !running.abort.signal.aborted) return running.chunk;
    const abort = new AbortController();
    const chunk = this.fetchChunk(index, abort.signal)
      .then((loaded) => {
        if (this.end.signal.aborted || abort.signal.aborted) loaded.close();
        else this.chunks.set(index, loaded, loaded.bytes);
        return loaded;
      })
      .finally(() => {
        if (this.loading.get(index)?.abort === abort) this.loading.delete(index);
      });
    this.loading.set(index, { chunk, abort });
    return chunk;
  }

  private async fetchChunk(index: number, signal: AbortSignal): Promise<FrameChunk<Decoded>> {
    if (this.isByChunk) return this.source.chunk(index, this.quality, signal);
    const number = this.frames.numbers[index] ?? 0;
    return this.source.frame(number, this.quality, signal);
  }

  /** Whether its chunk is loaded and its decoded image fits next to the current one. */
  private isCheap(number: number): boolean {
    const { width, height } = this.frames.info(number);
    const maxPixels = this.options.maxPixels ?? MAX_PIXELS;
    return this.chunks.has(this.locate(number).chunk) && width * height * 5 <= maxPixels;
  }

  /** Without chunks, every frame counts as a chunk. */
  private get chunkSize(): number {
    return this.isByChunk ? this.frames.chunkSize : 1;
  }

  private locate(number: number): { readonly chunk: number; readonly at: number } {
    const position = this.frames.position(number);
    return { chunk: Math.floor(position / this.chunkSize), at: position % this.chunkSize };
  }
}

interface LoadingChunk<Decoded extends FrameImage> {
  readonly chunk: Promise<FrameChunk<Decoded>>;
  readonly abort: AbortController;
}

interface FoundFrame<Decoded extends FrameImage> {
  readonly chunk: FrameChunk<Decoded>;
  /** Position of the frame in the chunk. */
  readonly at: number;
}
