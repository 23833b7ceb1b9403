import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import type { FileMove } from '../../engines/media/file-moves.js';
import type { ImageFile } from '../../engines/media/image-job.js';
import { isPointCloud, isTiff, mediaKind } from '../../shared/media-kind.js';
import { MediaCache } from '../../core/media-storage/media-cache.js';
import { ImageWorker } from '../../core/images/image-worker.js';

/** The default quality of clients. The client sends the actual quality only after the last file. */
const USUAL_QUALITY = 70;

/** One more than there are processors, since one file is being transferred while the others are encoded. */
const AT_A_TIME = availableParallelism() + 1;

/** Beyond this limit, frames are encoded with their chunks. */
const MAX_WAITING = 20_000;

/** A compressed frame in the cache. */
export interface FrameAhead {
  readonly key: string;
  readonly path: string;
}

/** A queued image. Its file may be moved before it is encoded. */
interface Waiting {
  readonly name: string;
  file: string;
}

/**
 * Encodes compressed frames while further images are still being uploaded, before their chunks are built. A frame is
 * identified by its file and stays valid when the file is moved or renamed.
 */
@Injectable()
export class FramesAhead implements OnApplicationShutdown {
  /** Keyed by file, in order of arrival. */
  private readonly waiting = new Map<string, Waiting>();
  private readonly making = new Map<Waiting, Promise<void>>();
  private readonly lanes = new Set<Promise<void>>();
  private running = 0;
  /** Number of running tasks that a client waits for. */
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

  /** Queues an uploaded file. @param name the client's name for the file */
  take(file: string, name: string): void {
    if (mediaKind(name) !== 'image' || isPointCloud(name) || isTiff(name)) return;
    if (this.waiting.size >= MAX_WAITING) return;
    this.waiting.set(file, { name, file });
    this.start();
  }

  /**
   * Moves files to their targets. A frame that is being encoded is read from the old path or, if that fails, encoded
   * again.
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
    const image = waiting ?? this.pendingImage(from);
    if (image !== undefined) image.file = to;
  }

  /**
   * Returns the frame of an image if it is encoded or being encoded. Otherwise removes the image from the queue.
   * @param file path of the image on this machine, or content, which is never encoded ahead
   */
  async find(file: ImageFile['file'], imageQuality: number): Promise<FrameAhead | undefined> {
    if (typeof file !== 'string') return undefined;
    this.waiting.delete(file);
    if (imageQuality !== USUAL_QUALITY) return undefined;
    const making = this.pendingImage(file);
    if (making !== undefined) await this.making.get(making);
    const key = await keyOf(file);
    // ignores frames encoded by other processes: checking the disk for each would cost more than encoding some twice
    if (!this.cache.has(key)) return undefined;
    const path = await this.cache.file(key);
    return path === undefined ? undefined : { key, path };
  }

  /** Deletes frames from the cache once their chunk contains them. */
  async drop(frames: readonly FrameAhead[]): Promise<void> {
    await Promise.all(frames.map(({ key }) => this.cache.delete(key)));
  }

  /** Runs work that a client waits for. No further frame is started until it is finished. */
  async giveWay<T>(work: () => Promise<T>): Promise<T> {
    this.urgent += 1;
    try {
      return await work();
    } finally {
      this.urgent -= 1;
      this.start();
    }
  }

  private pendingImage(file: string): Waiting | undefined {
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
    await Promise.resolve(); // files arrive one after another, and often several in the same tick
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
      // Task creation reports errors in the image.
      this.log.debug({ err: error, file: name }, 'a frame was not made ahead');
    }
  }
}

/** A key that stays the same when the file is moved and changes with its content. */
async function keyOf(file: string): Promise<string> {
  const { ino, mtimeNs, size } = await stat(file, { bigint: true });
  return `frame/${ino}-${mtimeNs}-${size}-${USUAL_QUALITY}`;
}
