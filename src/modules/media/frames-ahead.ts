import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import type { FileMove } from '../../engines/media/file-moves.js';
import { isPointCloud, isTiff, mediaKind } from '../../shared/media-kind.js';
import { ImageWorker } from './image-worker.js';
import { MediaCache } from './media-cache.js';

/** What clients ask for unless somebody chose another; which it is to be, they say after the last file. */
const USUAL_QUALITY = 70;

/** One more than processors, for its file is on its way while the others are encoded. */
const AT_A_TIME = availableParallelism() + 1;

/** Beyond, frames are made with their chunks. */
const MOST_WAITING = 20_000;

/** A compressed frame in the cache. */
export interface FrameAhead {
  readonly key: string;
  readonly path: string;
}

/** An image to be made a frame of; its file may be moved meanwhile. */
interface Waiting {
  readonly name: string;
  file: string;
}

/**
 * Compressed frames that are made of photographs while others are still being sent, for the chunks in which they will
 * stand. A frame belongs to its file, whatever name and folder that is moved to.
 */
@Injectable()
export class FramesAhead implements OnApplicationShutdown {
  /** By their files, in the order of their coming. */
  private readonly waiting = new Map<string, Waiting>();
  private readonly making = new Map<Waiting, Promise<void>>();
  private readonly lanes = new Set<Promise<void>>();
  private running = 0;
  /** Chunks that somebody waits for. */
  private urgent = 0;

  constructor(
    private readonly images: ImageWorker,
    private readonly cache: MediaCache,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.waiting.clear();
    await Promise.all(this.lanes);
  }

  /** A file has arrived. @param name how the client calls it */
  take(file: string, name: string): void {
    if (mediaKind(name) !== 'image' || isPointCloud(name) || isTiff(name)) return;
    if (this.waiting.size >= MOST_WAITING) return;
    this.waiting.set(file, { name, file });
    this.start();
  }

  /**
   * Moves files to their places; those of which a frame is being made may be read at the old one until then, or anew.
   * @throws MediaError that names the file
   */
  async move(files: readonly FileMove[]): Promise<void> {
    for (const { file, target } of files) this.moved(file, target);
    await this.giveWay(() => this.images.run({ kind: 'move', files }));
  }

  private moved(from: string, to: string): void {
    const waiting = this.waiting.get(from);
    if (waiting !== undefined) {
      this.waiting.delete(from);
      this.waiting.set(to, waiting);
    }
    const image = waiting ?? this.madeOf(from);
    if (image !== undefined) image.file = to;
  }

  /** The frame of an image, if it was or is being made; else nobody makes it ahead any more. @param file its place on this machine's disk */
  async find(file: string, imageQuality: number): Promise<FrameAhead | undefined> {
    this.waiting.delete(file);
    if (imageQuality !== USUAL_QUALITY) return undefined;
    const making = this.madeOf(file);
    if (making !== undefined) await this.making.get(making);
    const key = await keyOf(file);
    if (!this.cache.has(key)) return undefined; // what another process made is made again: looking for each costs more
    const path = await this.cache.file(key);
    return path === undefined ? undefined : { key, path };
  }

  /** These frames stand in a chunk now. */
  async drop(frames: readonly FrameAhead[]): Promise<void> {
    await Promise.all(frames.map(({ key }) => this.cache.delete(key)));
  }

  /** Does what somebody waits for: until then no frame is begun. */
  async giveWay<T>(work: () => Promise<T>): Promise<T> {
    this.urgent += 1;
    try {
      return await work();
    } finally {
      this.urgent -= 1;
      this.start();
    }
  }

  private madeOf(file: string): Waiting | undefined {
    return [...this.making.keys()].find((image) => image.file === file);
  }

  private start(): void {
    while (this.urgent === 0 && this.running < Math.min(AT_A_TIME, this.waiting.size)) {
      this.running += 1;
      const lane = this.work();
      this.lanes.add(lane);
      void lane.finally(() => this.lanes.delete(lane));
    }
  }

  private async work(): Promise<void> {
    await Promise.resolve(); // files come one after the other, and often several at once
    for (let next = this.next(); next !== undefined; next = this.next()) {
      const made = this.encode(next);
      this.making.set(next, made);
      await made;
      this.making.delete(next);
    }
    this.running -= 1;
  }

  private next(): Waiting | undefined {
    const [next] = this.urgent > 0 ? [] : this.waiting.entries();
    if (next !== undefined) this.waiting.delete(next[0]);
    return next?.[1];
  }

  private async encode(image: Waiting): Promise<void> {
    const { name, file } = image;
    try {
      const key = await keyOf(file);
      const options = { quality: 'compressed', imageQuality: USUAL_QUALITY, limits: this.images.limits } as const;
      await this.cache.put(key, (target) =>
        this.images.run({ kind: 'frame-file', image: { name, file }, target, options }),
      );
    } catch (error) {
      if (image.file !== file) return this.encode(image);
      // What is wrong with it, the making of the task says.
      this.log.debug({ err: error, file: name }, 'a frame was not made ahead');
    }
  }
}

/** What stays of a file when it is moved, and is another for any other content. */
async function keyOf(file: string): Promise<string> {
  const { ino, mtimeNs, size } = await stat(file, { bigint: true });
  return `frame/${ino}-${mtimeNs}-${size}-${USUAL_QUALITY}`;
}
