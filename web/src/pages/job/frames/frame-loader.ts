import { type Reading, wantedChunks, wantedPictures } from './look-ahead';
import type { FrameSet } from './frame-set';
import { WeightedCache } from './weighted-cache';

export type Quality = 'compressed' | 'original';

/** A decoded picture; it is closed by the loader when it is kept no longer. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  close(): void;
}

export interface FrameSource<Decoded extends Picture> {
  /** @param index of a chunk of the job */
  chunk(index: number, quality: Quality, signal: AbortSignal): Promise<Blob[]>;
  /** @param number of a frame in the task */
  frame(number: number, quality: Quality, signal: AbortSignal): Promise<Blob>;
  decode(image: Blob): Promise<Decoded>;
}

export interface LoaderOptions {
  /** False where chunks are no archives of images: frames are then asked for one by one. */
  readonly byChunk: boolean;
  /** Compressed images kept, in bytes. */
  readonly maxBytes?: number;
  /** Decoded pictures kept, in pixels. */
  readonly maxPixels?: number;
  /** How long a chunk may take before its first wanted frame is asked for alone. */
  readonly patienceMs?: number;
}

const MAX_BYTES = 192 * 2 ** 20;
const MAX_PIXELS = 64 * 10 ** 6;
const PATIENCE_MS = 200;

/** Loads the frames of a job in one quality: each chunk once, with those ahead, within bounds of memory. */
export class FrameLoader<Decoded extends Picture> {
  private readonly images: WeightedCache<number, Blob[]>;
  private readonly pictures: WeightedCache<number, Decoded>;
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
    this.pictures = new WeightedCache(options.maxPixels ?? MAX_PIXELS, (picture) => picture.close());
  }

  /** @returns the picture if it is there already */
  ready(number: number): Decoded | undefined {
    return this.pictures.get(number);
  }

  /** @throws what the source throws; nothing is kept then, so that it can be tried again */
  picture(number: number): Promise<Decoded> {
    const found = this.pictures.get(number);
    if (found !== undefined) return Promise.resolve(found);
    const running = this.decoding.get(number);
    if (running !== undefined) return running;
    const decoding = this.load(number).finally(() => this.decoding.delete(number));
    this.decoding.set(number, decoding);
    return decoding;
  }

  /** The encoded image, for a small picture of it; only if its chunk is there. */
  image(number: number): Blob | undefined {
    const { chunk, at } = this.place(number);
    return this.images.get(chunk)?.[at];
  }

  /** Loads what will be looked at next, and stops loading what will not. */
  lookAhead(reading: Omit<Reading, 'chunkSize' | 'chunkCount'>): void {
    const whole = { ...reading, chunkSize: this.chunkSize, chunkCount: Math.ceil(this.frames.count / this.chunkSize) };
    const wanted = wantedChunks(whole);
    for (const [chunk, { abort }] of this.loading) if (!wanted.includes(chunk)) abort.abort();
    // Whoever shows the frame will hear of the error.
    for (const chunk of wanted) this.chunk(chunk).catch(() => undefined);
    for (const position of wantedPictures(whole, this.frames.count)) {
      const number = this.frames.numbers[position];
      if (number !== undefined && this.isCheap(number)) this.picture(number).catch(() => undefined);
    }
  }

  /** Ends all loading and lets go of everything. */
  close(): void {
    this.end.abort();
    for (const { abort } of this.loading.values()) abort.abort();
    this.pictures.clear();
    this.images.clear();
  }

  private async load(number: number): Promise<Decoded> {
    const picture = await this.source.decode(await this.encoded(number));
    if (this.end.signal.aborted) {
      picture.close();
      throw this.end.signal.reason as Error;
    }
    this.pictures.set(number, picture, picture.width * picture.height);
    return picture;
  }

  /** From its chunk; where that takes long, the frame alone, whichever comes first. */
  private async encoded(number: number): Promise<Blob> {
    const { chunk, at } = this.place(number);
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
      // One of the two is enough; when both fail, the first failure is told.
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

  /** Its chunk is there, and its picture leaves room for the one that is shown. */
  private isCheap(number: number): boolean {
    const { width, height } = this.frames.info(number);
    const maxPixels = this.options.maxPixels ?? MAX_PIXELS;
    return this.images.has(this.place(number).chunk) && width * height * 5 <= maxPixels;
  }

  /** Without chunks every frame is a chunk of its own. */
  private get chunkSize(): number {
    return this.options.byChunk ? this.frames.chunkSize : 1;
  }

  private place(number: number): { readonly chunk: number; readonly at: number } {
    const position = this.frames.position(number);
    return { chunk: Math.floor(position / this.chunkSize), at: position % this.chunkSize };
  }
}
