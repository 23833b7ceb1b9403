import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Db } from '../../../core/database/db.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { chunkOfFrame, taskChunkFrames } from '../../../engines/media/chunks.js';
import { ChunkStore, isVideo } from './chunk-store.js';
import { type MediaSource, MediaSourceRepository } from './media-source.repository.js';

/** Numbers of chunks one after the other. */
export type Batch = readonly number[];

/** Chunks from the place on that are made even where their video has had its share of the cache. */
const NEAR = 8;

export interface BatchBounds {
  /** Chunks of the video. */
  readonly count: number;
  /** Chunks of a batch. */
  readonly most: number;
  /** What all chunks may take. */
  readonly maxBytes: number;
}

/**
 * In which order the chunks of a video are made: from the place on where it is read to its end, then from its beginning.
 * The first chunk comes alone, for somebody is there; then each batch is twice as large, since a batch begins with the
 * decoding of frames before it.
 */
export class ChunkOrder {
  private readonly finished = new Set<number>();
  private readonly onlyNear: boolean;
  private place = 0;
  private size: number | undefined;
  private bytes = 0;

  /** @param options `onlyNear`: nothing but what lies near the place, for the whole was made once */
  constructor({ onlyNear = false }: { readonly onlyNear?: boolean } = {}) {
    this.onlyNear = onlyNear;
  }

  /** A chunk is read that is not there; nor need those be that follow it, though they were. */
  goTo(chunk: number): void {
    this.place = chunk;
    this.size = 1;
    for (let near = chunk; near < chunk + NEAR; near += 1) this.finished.delete(near);
  }

  /** What is to be made next; nothing when all is there. */
  next({ count, most, maxBytes }: BatchBounds): Batch {
    const isNearOnly = this.onlyNear || this.bytes > maxBytes;
    const ahead = isNearOnly ? Math.min(NEAR, count - this.place) : count;
    const wanted = Array.from({ length: ahead }, (_, at) => (this.place + at) % count);
    const from = wanted.findIndex((chunk) => !this.finished.has(chunk));
    if (from === -1) return [];
    const size = Math.min(this.size ?? most, most);
    const run = wanted.slice(from, from + size);
    const end = run.findIndex((chunk, at) => this.finished.has(chunk) || chunk !== (run[0] ?? 0) + at);
    return end === -1 ? run : run.slice(0, end);
  }

  made(batch: Batch, bytes: number): void {
    for (const chunk of batch) this.finished.add(chunk);
    this.bytes += bytes;
    if (this.size !== undefined) this.size *= 2;
  }
}

/** Frames that are decoded in one go: their chunks are in memory together. */
const FRAMES_TOGETHER = 300;
/** One video takes no more of the cache than this part, but for what lies near the frames that are read. */
const SHARE_OF_CACHE = 1 / 4;
/** Videos that are remembered; the oldest is forgotten first, and one that was done looked at once more when it is read. */
const MOST_REMEMBERED = 10_000;
/** What is nearly there is not given up for a frame elsewhere: somebody who jumps about would never get any chunk. */
const FEW_CHUNKS = 2;

interface Making {
  readonly taskId: number;
  readonly batch: Batch;
  /** Somebody reads elsewhere. */
  readonly left: AbortController;
}

/**
 * Makes the compressed chunks of videos before somebody asks for them, below everything else in priority: until a chunk
 * is there, each of its frames costs the decoding of all frames from the keyframe on. First come the chunks from the
 * frame on that was read last, then the others, of one video after the other. Nothing of it is recorded: what a crash
 * interrupts goes on when the video is read.
 */
@Injectable()
export class VideoAhead implements OnApplicationShutdown {
  /** By task; the one that was read last stands last. */
  private readonly orders = new Map<number, ChunkOrder>();
  /** Tasks that are done, and whether that went well. */
  private readonly done = new Map<number, boolean>();
  /** The chunk in which each task was read last. */
  private readonly places = new Map<number, number>();
  private readonly stopping = new AbortController();
  private making: Making | undefined;
  private running: Promise<void> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly db: Db,
    private readonly sources: MediaSourceRepository,
    private readonly chunks: ChunkStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort(new Error('The server ends'));
    await this.running;
  }

  /** Has the chunks of a new task made. */
  begin(taskId: number): void {
    if (!this.isOn() || this.orders.has(taskId) || this.done.has(taskId)) return;
    // Before the others: somebody may be reading those.
    const others = [...this.orders];
    this.orders.clear();
    for (const [id, order] of [[taskId, new ChunkOrder()] as const, ...others]) this.orders.set(id, order);
    this.start();
  }

  /**
   * Somebody reads a frame of a video: what follows it is made next, unless it is there. Who reads more than one frame of
   * a chunk waits for it no more than for two frames, so it does not wait until nobody reads.
   * @param frame of the task
   */
  near(source: MediaSource, frame: number): void {
    const { taskId, size, chunkSize } = source;
    if (!this.isOn() || chunkSize === null || this.done.get(taskId) === false) return;
    const chunk = chunkOfFrame(frame, chunkSize);
    const stays = this.stays(taskId, chunk);
    if (!this.chunks.hasCompressed(source, chunk)) this.goTo(taskId, chunk, stays);
    if (!stays) return;
    const soon = chunkOfFrame(Math.min(frame + Math.ceil(chunkSize / 2), size - 1), chunkSize);
    for (const wanted of new Set([chunk, soon]))
      this.chunks.prepare(source, taskChunkFrames(wanted, chunkSize, size), 'compressed');
  }

  /** Waits for what was begun. */
  async idle(): Promise<void> {
    await this.running;
  }

  /** @param isUrgent the chunk itself is made by others */
  private goTo(taskId: number, chunk: number, isUrgent: boolean): void {
    const order = this.orders.get(taskId) ?? new ChunkOrder({ onlyNear: this.done.has(taskId) });
    this.orders.delete(taskId);
    this.orders.set(taskId, order);
    order.goTo(chunk);
    const { making } = this;
    const isComing = making?.taskId === taskId && making.batch.includes(chunk);
    if (isComing ? isUrgent : (making?.batch.length ?? 0) > FEW_CHUNKS) making?.left.abort();
    this.start();
  }

  /** Whether a chunk was read, or the one before it, right before. */
  private stays(taskId: number, chunk: number): boolean {
    const before = this.places.get(taskId);
    this.places.delete(taskId);
    this.places.set(taskId, chunk);
    forgetOldest(this.places);
    return before === chunk || before === chunk - 1;
  }

  private isOn(): boolean {
    return this.config.videoAhead && !this.stopping.signal.aborted;
  }

  private start(): void {
    this.running ??= this.makeAll().finally(() => {
      this.running = undefined;
    });
  }

  private async makeAll(): Promise<void> {
    for (let next = this.last(); next !== undefined && !this.stopping.signal.aborted; next = this.last()) {
      const [taskId, order] = next;
      try {
        if (!(await this.makeSome(taskId, order))) this.finish(taskId, true);
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        // Whoever asks for the chunk itself will be answered with the error.
        this.log.warn({ err: error, task: taskId }, 'cannot make the chunks of a video ahead of their reading');
        this.finish(taskId, false);
      }
    }
  }

  private last(): [number, ChunkOrder] | undefined {
    return [...this.orders].at(-1);
  }

  /** @returns false when there is nothing left to do */
  private async makeSome(taskId: number, order: ChunkOrder): Promise<boolean> {
    // Read anew each time: the task may be gone.
    const source = (await this.sources.ofTask(this.db, taskId, 0))?.source;
    if (source == null || !isVideo(source) || source.chunkSize === null) return false;
    const batch = order.next({
      count: Math.ceil(source.size / source.chunkSize),
      most: Math.max(1, Math.floor(FRAMES_TOGETHER / source.chunkSize)),
      maxBytes: this.config.cacheMaxBytes * SHARE_OF_CACHE,
    });
    if (batch.length === 0) return false;
    const left = new AbortController();
    this.making = { taskId, batch, left };
    try {
      const signal = AbortSignal.any([left.signal, this.stopping.signal]);
      order.made(batch, await this.chunks.makeAhead(source, batch, signal));
    } catch (error) {
      if (!left.signal.aborted) throw error;
    } finally {
      this.making = undefined;
    }
    return true;
  }

  private finish(taskId: number, isMade: boolean): void {
    this.orders.delete(taskId);
    this.done.set(taskId, isMade);
    forgetOldest(this.done);
  }
}

function forgetOldest(remembered: Map<number, unknown>): void {
  const [oldest] = remembered.keys();
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}
