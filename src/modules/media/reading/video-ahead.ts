import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Db } from '../../../core/database/db.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { LingeringWork } from '../../../core/worker/lingering-work.js';
import { chunkOfFrame, taskChunkFrames } from '../../../engines/media/chunks.js';
import { isVideo } from './chunk-keys.js';
import { ChunkStore } from './chunk-store.js';
import { type MediaSource, MediaSourceRepository } from './media-source.repository.js';

/** Consecutive chunk numbers. */
export type Batch = readonly number[];

/** Number of chunks from the reader's position on that are built even if the video has used its share of the cache. */
const NEAR = 8;

export interface BatchBounds {
  /** Number of chunks of the video. */
  readonly count: number;
  /** Maximum number of chunks in a batch. */
  readonly most: number;
  /** Maximum total size of the chunks. */
  readonly maxBytes: number;
}

/**
 * The order in which the chunks of a video are built: from the reader's position to the end, then from the start. The
 * first batch is a single chunk, because a client is waiting. Each further batch doubles in size, because every batch
 * must first decode the frames since a keyframe.
 */
export class ChunkOrder {
  private readonly finished = new Set<number>();
  private readonly onlyNear: boolean;
  private place = 0;
  private size: number | undefined;
  private bytes = 0;

  /** @param options `onlyNear`: build only chunks near the reader, because the whole video was built before */
  constructor({ onlyNear = false }: { readonly onlyNear?: boolean } = {}) {
    this.onlyNear = onlyNear;
  }

  /** A reader needs a chunk that is not cached. The following chunks may also have been evicted. */
  goTo(chunk: number): void {
    this.place = chunk;
    this.size = 1;
    for (let near = chunk; near < chunk + NEAR; near += 1) this.finished.delete(near);
  }

  /** The next batch; empty if all chunks are built. */
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

/** Number of frames decoded in one batch, whose chunks are in memory together. */
const FRAMES_TOGETHER = 300;
/** The share of the cache that one video may fill, apart from chunks near its reader. */
const SHARE_OF_CACHE = 1 / 4;
/** Number of remembered videos; the oldest is forgotten first. A forgotten video is checked again when it is read. */
const MAX_REMEMBERED = 10_000;
/**
 * A batch this small is nearly finished and is not cancelled when the reader seeks: otherwise frequent seeks would
 * prevent any chunk from being completed.
 */
const FEW_CHUNKS = 2;

interface Making {
  readonly taskId: number;
  readonly batch: Batch;
  /** Aborted when the reader has moved elsewhere. */
  readonly left: AbortController;
}

/**
 * Builds the compressed chunks of videos before they are requested, at the lowest priority: without a chunk, each frame
 * requires decoding all frames since the keyframe. Builds one video at a time, starting at the most recently read
 * frame. Nothing is persisted: after a crash, work resumes when the video is read.
 */
@Injectable()
export class VideoAhead implements OnApplicationShutdown {
  /** Keyed by task; the most recently read task is last. */
  private readonly orders = new Map<number, ChunkOrder>();
  /** Completed tasks, and whether they succeeded. */
  private readonly done = new Map<number, boolean>();
  /** The chunk that was last read in each task. */
  private readonly places = new Map<number, number>();
  private readonly stopping = new AbortController();
  private making: Making | undefined;
  private running: Promise<void> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly db: Db,
    private readonly sources: MediaSourceRepository,
    private readonly chunks: ChunkStore,
    private readonly lingering: LingeringWork,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort(new Error('The server ends'));
    await this.running;
  }

  /** Builds the chunks of a new task. */
  begin(taskId: number): void {
    if (!this.isOn() || this.orders.has(taskId) || this.done.has(taskId)) return;
    // First in the map and so last in line: the others may have readers.
    const others = [...this.orders];
    this.orders.clear();
    for (const [id, order] of [[taskId, new ChunkOrder()] as const, ...others]) this.orders.set(id, order);
    this.start();
  }

  /**
   * Called when a frame of a video is read: builds the following chunks next, unless they are cached. A reader who
   * stays in a chunk gets it at normal priority right away, since waiting for it takes no longer than decoding two
   * frames.
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

  /** Waits for the work in progress. */
  async idle(): Promise<void> {
    await this.running;
  }

  /** @param isUrgent the caller builds the chunk itself at normal priority */
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

  /** Whether the previous read was in the same chunk or in the one before it. */
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
    if (this.running !== undefined) return;
    this.running = this.makeAll().finally(() => {
      this.running = undefined;
    });
    this.lingering.add(this.running);
  }

  private async makeAll(): Promise<void> {
    for (let next = this.last(); next !== undefined && !this.stopping.signal.aborted; next = this.last()) {
      const [taskId, order] = next;
      try {
        if (!(await this.makeNextChunks(taskId, order))) this.finish(taskId, true);
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        // A request for the chunk reports the error.
        this.log.warn({ err: error, task: taskId }, 'cannot create the chunks of a video in advance');
        this.finish(taskId, false);
      }
    }
  }

  private last(): [number, ChunkOrder] | undefined {
    return [...this.orders].at(-1);
  }

  /** @returns false if nothing is left to do */
  private async makeNextChunks(taskId: number, order: ChunkOrder): Promise<boolean> {
    // Read again for every batch, since the task may have been deleted.
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
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}
