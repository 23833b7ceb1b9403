import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Db } from '../../../core/database/db.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { ChunkStore, isVideo } from './chunk-store.js';
import { MediaSourceRepository } from './media-source.repository.js';

/** Frames that are decoded in one go: their chunks are in memory together. */
const FRAMES_TOGETHER = 300;
/** One video takes no more of the cache than this part. */
const SHARE_OF_CACHE = 1 / 4;
/** Videos that are remembered as done; the oldest is forgotten first, and looked at once more when it is read. */
const MOST_REMEMBERED = 10_000;

/**
 * Makes the compressed chunks of videos before somebody asks for them, one video after the other and below everything
 * else in priority: until a chunk is there, each of its frames costs the decoding of all frames from the keyframe on.
 * Nothing of it is recorded: what a crash interrupts goes on when the video is read.
 */
@Injectable()
export class VideoAhead implements OnApplicationShutdown {
  private readonly begun = new Set<number>();
  private readonly stopping = new AbortController();
  private last: Promise<void> = Promise.resolve();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(Db) private readonly db: Db,
    @Inject(MediaSourceRepository) private readonly sources: MediaSourceRepository,
    @Inject(ChunkStore) private readonly chunks: ChunkStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort(new Error('The server ends'));
    await this.last;
  }

  /** Has the chunks of a task made, unless that was begun already. */
  begin(taskId: number): void {
    if (!this.config.videoAhead || this.begun.has(taskId) || this.stopping.signal.aborted) return;
    this.begun.add(taskId);
    const [oldest] = this.begun;
    if (this.begun.size > MOST_REMEMBERED && oldest !== undefined) this.begun.delete(oldest);
    this.last = this.last.then(() => this.makeAll(taskId)).catch((error: unknown) => this.onFailure(taskId, error));
  }

  /** Waits for what was begun. */
  idle(): Promise<void> {
    return this.last;
  }

  private async makeAll(taskId: number): Promise<void> {
    let bytes = 0;
    for (let next = 0; bytes <= this.config.cacheMaxBytes * SHARE_OF_CACHE && !this.stopping.signal.aborted;) {
      // Read anew each time: the task may be gone.
      const source = (await this.sources.ofTask(this.db, taskId, 0))?.source;
      if (source == null || !isVideo(source) || source.chunkSize === null) return;
      const count = Math.ceil(source.size / source.chunkSize);
      const together = Math.max(1, Math.floor(FRAMES_TOGETHER / source.chunkSize));
      const numbers = Array.from({ length: Math.min(together, count - next) }, (_, at) => next + at);
      if (numbers.length === 0) return;
      bytes += await this.chunks.makeAhead(source, numbers, this.stopping.signal);
      next += together;
    }
  }

  /** Whoever asks for the chunk itself will be answered with the error. */
  private onFailure(taskId: number, error: unknown): void {
    if (!this.stopping.signal.aborted)
      this.log.warn({ err: error, task: taskId }, 'cannot make the chunks of a video ahead of their reading');
  }
}
