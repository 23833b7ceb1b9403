import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import { NotFound } from '../../../core/http/errors/errors.js';
import { MediaCache } from '../../../core/media-storage/media-cache.js';
import { mapBounded } from '../../../engines/concurrency/concurrency.js';
import { type ChunkSlot, taskChunkFrames } from '../../../engines/media/chunks.js';
import { absoluteFrame } from '../../../engines/media/frames.js';
import { type FrameAhead, FramesAhead } from '../frames-ahead.js';
import { ImageWorker } from '../../../core/images/image-worker.js';
import { type HeldMedia, MediaFiles } from '../media-files.js';
import {
  chunkMimeType,
  chunkTypeOf,
  frameKeyOf,
  isSelection,
  isVideo,
  keyOf,
  ownKeyOf,
  type Quality,
} from './chunk-keys.js';
import { type MediaSource, MediaSourceRepository } from './media-source.repository.js';
import { SharedChunks } from './shared-chunks.js';
import { VideoStore } from './video-store.js';

/** Maximum number of chunks that are built in advance at the same time. */
const MAX_AHEAD = 2;

const FILES_AT_A_TIME = 8;

/** Lower priority than the image process, since no client is waiting. */
const NICENESS_AHEAD = 15;

/** Chunks, built on demand and kept in a size-limited cache on disk. */
@Injectable()
export class ChunkStore implements OnApplicationShutdown {
  private readonly preparing = new Set<Promise<unknown>>();

  constructor(
    private readonly db: Db,
    private readonly cache: MediaCache,
    private readonly files: MediaFiles,
    private readonly images: ImageWorker,
    private readonly framesAhead: FramesAhead,
    private readonly videos: VideoStore,
    private readonly sources: MediaSourceRepository,
    private readonly shared: SharedChunks,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.preparing);
  }

  /**
   * Returns a chunk: an archive or a video of frames. Callers may pass it to `release` after use.
   * @param slots task frames; null stands for a black image
   * @throws MediaError, MediaStorageFull
   */
  chunk(source: MediaSource, slots: readonly ChunkSlot[], quality: Quality): Promise<Buffer> {
    const key = ownKeyOf(source, slots, quality);
    return this.cache.getOrCreate(
      key,
      this.shared.sharing(key, (target) => this.build(source, slots, quality, target)),
    );
  }

  /**
   * A URL from which a client can read a chunk for some minutes. Creates the chunk if necessary.
   * @returns undefined if chunks are not in a bucket
   */
  async link(source: MediaSource, slots: readonly ChunkSlot[], quality: Quality): Promise<string | undefined> {
    const key = ownKeyOf(source, slots, quality);
    const type = chunkMimeType(source, quality);
    const url = await this.shared.link(key, type);
    if (url !== undefined || this.cache.has(key)) return url;
    this.release(await this.chunk(source, slots, quality));
    return this.shared.link(key, type);
  }

  /** Releases the memory of a chunk that is no longer read. @param chunk as returned by {@link chunk} */
  release(chunk: Buffer): void {
    this.cache.release(chunk);
  }

  /** Builds the chunk that a client will probably request next. */
  prepare(source: MediaSource, slots: readonly ChunkSlot[], quality: Quality): void {
    if (this.preparing.size >= MAX_AHEAD || this.cache.has(ownKeyOf(source, slots, quality))) return;
    // A request for the chunk reports the error.
    const making = this.chunk(source, slots, quality).then(
      (chunk) => this.release(chunk),
      () => undefined,
    );
    this.preparing.add(making);
    void making.finally(() => this.preparing.delete(making));
  }

  /** Whether a compressed chunk of a task is known to be cached. */
  hasCompressed(source: MediaSource, number: number): boolean {
    const slots = taskChunkFrames(number, source.chunkSize ?? 1, source.size);
    return this.cache.has(keyOf(source, slots, 'compressed'));
  }

  /**
   * Builds compressed chunks of a video in the background. Skips those that are cached or being built.
   * @param numbers of chunks of the task, ascending
   * @returns the total size of the new chunks in bytes
   */
  async makeAhead(source: MediaSource, numbers: readonly number[], signal: AbortSignal): Promise<number> {
    const wanted = numbers.map((number) => {
      const slots = taskChunkFrames(number, source.chunkSize ?? 1, source.size);
      return { slots, key: keyOf(source, slots, 'compressed') };
    });
    const there = await Promise.all(wanted.map(async ({ key }) => this.cache.has(key) || (await this.cache.file(key))));
    const missing = wanted.filter((_, at) => !there[at]);
    if (missing.length === 0) return 0;
    const frames = missing.map(({ slots }) => slots.map((slot) => absoluteFrame(source, slot)));
    const { compressedType: type, imageQuality } = source;
    const options = { type, quality: 'compressed', imageQuality, signal, niceness: NICENESS_AHEAD } as const;
    const chunks = await this.videos.chunksAhead(await this.sources.video(this.db, source), frames, options);
    for (const [at, chunk] of chunks.entries()) {
      const key = missing[at]?.key ?? '';
      await this.cache.getOrCreate(
        key,
        this.shared.sharing(key, () => Promise.resolve(chunk)),
      );
    }
    return chunks.reduce((sum, { length }) => sum + length, 0);
  }

  /** Removes everything cached for deleted data. */
  async forget(dataId: number): Promise<void> {
    this.videos.forget(dataId);
    await this.cache.deletePrefix(`${dataId}/`);
    await this.shared.forget(dataId);
  }

  private async build(
    source: MediaSource,
    slots: readonly ChunkSlot[],
    quality: Quality,
    target: string,
  ): Promise<Buffer | 'written'> {
    if (isVideo(source)) return this.buildOfVideo(source, slots, quality);
    const own = slots.filter((slot) => slot !== null);
    const [first = 0, last = first] = [own.at(0), own.at(-1)];
    const rows = await this.sources.frames(
      this.db,
      source.dataId,
      absoluteFrame(source, first),
      absoluteFrame(source, last),
    );
    const byFrame = new Map(rows.map((row) => [row.frame, row.path]));
    await this.files.held((media) => this.buildOfImages(source, { slots, byFrame, media }, quality, target));
    return 'written';
  }

  private async buildOfImages(
    source: MediaSource,
    { slots, byFrame, media }: { slots: readonly ChunkSlot[]; byFrame: ReadonlyMap<number, string>; media: HeldMedia },
    quality: Quality,
    target: string,
  ): Promise<void> {
    const found: FrameAhead[] = [];
    const frames = await mapBounded(slots, FILES_AT_A_TIME, async (slot) => {
      if (slot === null) return null;
      const name = byFrame.get(absoluteFrame(source, slot));
      if (name === undefined) throw NotFound.of('Task'); // deleted since the lookup
      const file = await media.locate(source, name);
      if (quality === 'original') return { name, file };
      const ahead = (await this.cachedFrame(source, slot)) ?? (await this.framesAhead.find(file, source.imageQuality));
      if (ahead === undefined) return { name, file };
      found.push(ahead);
      return { name, file, ready: ahead.path };
    });
    const { imageQuality } = source;
    const options = { quality, imageQuality, limits: this.images.limits, jpegOnly: isSelection(source) };
    await this.framesAhead.giveWay(() => this.images.run({ kind: 'chunk', frames, target, options }));
    await this.framesAhead.drop(found);
  }

  /** A frame that was requested before its chunk was built. */
  private async cachedFrame(source: MediaSource, number: number): Promise<FrameAhead | undefined> {
    const key = frameKeyOf(source, number);
    const path = this.cache.has(key) ? await this.cache.file(key) : undefined;
    return path === undefined ? undefined : { key, path };
  }

  private async buildOfVideo(source: MediaSource, slots: readonly ChunkSlot[], quality: Quality): Promise<Buffer> {
    const frames = slots.map((slot) => (slot === null ? null : absoluteFrame(source, slot)));
    const type = chunkTypeOf(source, quality);
    return this.videos.chunk(await this.sources.video(this.db, source), frames, {
      type,
      quality,
      imageQuality: source.imageQuality,
    });
  }
}
