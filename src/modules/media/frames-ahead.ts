import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import type { ImageOnDisk } from '../../engines/media/image-job.js';
import { isPointCloud, isTiff, mediaKind } from '../../engines/media/media-kind.js';
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

/**
 * Compressed frames that are made of photographs while others are still being sent, for the chunks in which they will
 * stand. A frame belongs to its file, whatever name and folder that is moved to.
 */
@Injectable()
export class FramesAhead implements OnApplicationShutdown {
  private readonly waiting: ImageOnDisk[] = [];
  private readonly lanes = new Set<Promise<void>>();

  constructor(
    @Inject(ImageWorker) private readonly images: ImageWorker,
    @Inject(MediaCache) private readonly cache: MediaCache,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.waiting.length = 0;
    await Promise.all(this.lanes);
  }

  /** A file has arrived. @param name how the client calls it */
  take(file: string, name: string): void {
    if (mediaKind(name) !== 'image' || isPointCloud(name) || isTiff(name)) return;
    if (this.waiting.length >= MOST_WAITING) return;
    this.waiting.push({ name, file });
    if (this.lanes.size >= AT_A_TIME) return;
    const lane = this.work();
    this.lanes.add(lane);
    void lane.finally(() => this.lanes.delete(lane));
  }

  /** The frame of an image, if it was made. @param file its place on this machine's disk */
  async find(file: string, imageQuality: number): Promise<FrameAhead | undefined> {
    if (imageQuality !== USUAL_QUALITY) return undefined;
    const key = await keyOf(file);
    if (!this.cache.has(key)) return undefined; // what another process made is made again: looking for each costs more
    const path = await this.cache.file(key);
    return path === undefined ? undefined : { key, path };
  }

  /** These frames stand in a chunk now. */
  async drop(frames: readonly FrameAhead[]): Promise<void> {
    await Promise.all(frames.map(({ key }) => this.cache.delete(key)));
  }

  private async work(): Promise<void> {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      try {
        await this.encode(next);
      } catch (error) {
        // The file may be in its task already. What is wrong with it, the making of the task says.
        this.log.debug({ err: error, file: next.name }, 'a frame was not made ahead');
      }
    }
  }

  private async encode(image: ImageOnDisk): Promise<void> {
    const key = await keyOf(image.file);
    const options = { quality: 'compressed', imageQuality: USUAL_QUALITY, limits: this.images.limits } as const;
    await this.cache.put(key, (target) => this.images.run({ kind: 'frame-file', image, target, options }));
  }
}

/** What stays of a file when it is moved, and is another for any other content. */
async function keyOf(file: string): Promise<string> {
  const { ino, mtimeNs, size } = await stat(file, { bigint: true });
  return `frame/${ino}-${mtimeNs}-${size}-${USUAL_QUALITY}`;
}
