import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import { NotFound } from '../../../core/http/errors/errors.js';
import { mapBounded } from '../../../engines/concurrency/concurrency.js';
import type { ChunkOptions } from '../../../engines/media/chunk-writer.js';
import {
  chunkOfFrame,
  type ChunkSlot,
  jobChunkByIndex,
  jobChunkByNumber,
  taskChunkFrames,
} from '../../../engines/media/chunks.js';
import { contextNames } from '../../../engines/media/context-images.js';
import { absoluteFrame } from '../../../engines/media/frames.js';
import type { ImageFile } from '../../../engines/media/image-job.js';
import { pointCloudPreview } from '../../../engines/media/point-cloud.js';
import { ChunkMembers, storedZip } from '../../../engines/media/stored-zip.js';
import { freeMemory } from '../../../engines/memory/memory.js';
import { type FrameAhead, FramesAhead, MediaCache } from '../frames-ahead.js';
import { ImageWorker } from '../image-worker.js';
import { MediaFiles } from '../media-files.js';
import { imageMimeType, isPointCloud } from '../../../shared/media-kind.js';
import { type ChunkType, type MediaSource, MediaSourceRepository } from './media-source.repository.js';
import { type ChunkPlace, type FrameContent, type VideoRef, VideoStore } from './video-store.js';

export type Quality = 'compressed' | 'original';

/** A single image or point cloud. */
export interface ImageFrame {
  readonly type: string;
  readonly body: Buffer;
  /** Call when the body is no longer used. */
  readonly release?: () => void;
}

const JPEG = 'image/jpeg';

/** Maximum number of chunks that are built in advance at the same time. */
const MAX_AHEAD = 2;

const FILES_AT_A_TIME = 8;

const CONTEXT_QUALITY = 90;

/** Lower priority than the image process, since no client is waiting. */
const NICENESS_AHEAD = 15;

/** Chunks and previews, built on demand and kept in a size-limited cache on disk. */
@Injectable()
export class ChunkStore implements OnApplicationShutdown {
  private readonly preparing = new Set<Promise<unknown>>();
  private readonly members: ChunkMembers;

  constructor(
    private readonly db: Db,
    private readonly cache: MediaCache,
    private readonly files: MediaFiles,
    private readonly images: ImageWorker,
    private readonly framesAhead: FramesAhead,
    private readonly videos: VideoStore,
    private readonly sources: MediaSourceRepository,
  ) {
    this.members = new ChunkMembers(cache);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.preparing);
  }

  /**
   * Returns a chunk: an archive or a video of frames. Callers may pass it to `release` after use.
   * @param slots task frames; null stands for a black image
   * @throws MediaError, MediaStorageFull
   */
  chunk(source: MediaSource, slots: readonly ChunkSlot[], quality: Quality): Promise<Buffer> {
    return this.cache.getOrCreate(ownKeyOf(source, slots, quality), (target) =>
      this.build(source, slots, quality, target),
    );
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

  /** A thumbnail of a frame. @throws MediaError, MediaStorageFull */
  preview(source: MediaSource, frame: number): Promise<Buffer> {
    return this.cache.getOrCreate(`${source.dataId}/preview/${stateOf(source)}-${frame}`, async () => {
      const absolute = absoluteFrame(source, frame);
      if (isVideo(source)) return this.videos.preview(await this.video(source), absolute);
      const [row] = await this.sources.frames(this.db, source.dataId, absolute, absolute);
      const path = known(row?.path);
      if (isPointCloud(path)) return pointCloudPreview();
      const image = { name: path, file: await this.files.locate(source, path) };
      return this.images.run({ kind: 'preview', image, limits: this.images.limits });
    });
  }

  /**
   * Returns an image or point cloud of the task from a cached chunk, or encodes it. Compressed frames encoded here are
   * cached until their chunk is built.
   * @param number of the frame in the task
   * @throws MediaError, MediaStorageFull
   */
  async frame(source: MediaSource, number: number, quality: Quality): Promise<ImageFrame> {
    const key = frameKeyOf(source, number);
    for (const chunk of this.chunksWith(source, number, quality)) {
      if (this.cache.has(key) && !this.cache.has(chunk.key)) continue;
      const member = await this.members.read(chunk.key, chunk.at);
      if (member === undefined) continue;
      return { type: imageMimeType(member.name), body: member.data, release: () => freeMemory(member.memory) };
    }
    const absolute = absoluteFrame(source, number);
    const [row] = await this.sources.frames(this.db, source.dataId, absolute, absolute);
    const path = known(row?.path);
    const options = this.optionsOf(source, quality);
    if (quality === 'original') {
      const image = { name: path, file: await this.files.locate(source, path) };
      return { type: imageMimeType(path), body: await this.images.run({ kind: 'frame', image, options }) };
    }
    const body = await this.cache.getOrCreate(
      key,
      async (target) => {
        const image = { name: path, file: await this.files.locate(source, path) };
        const ahead = await this.ahead(source, image);
        const ready = ahead === undefined ? {} : { ready: ahead.path };
        await this.images.run({ kind: 'frame-file', image: { ...image, ...ready }, target, options });
        return 'written';
      },
      { atOnce: true },
    );
    const type = isPointCloud(path) ? imageMimeType(path) : JPEG;
    return { type, body, release: () => this.cache.release(body) };
  }

  /** Lists the chunks that contain a frame, those in the cache first. Chunks with the same frames share one key. */
  private chunksWith(source: MediaSource, number: number, quality: Quality): { key: string; at: number }[] {
    const chunkSize = source.chunkSize ?? 1;
    const { segment, size } = source;
    const chunk = chunkOfFrame(number, chunkSize);
    const slots: (readonly ChunkSlot[])[] = [taskChunkFrames(chunk, chunkSize, size)];
    if (segment !== null && !isSelection(source)) {
      const job = { start: segment.start, stop: segment.stop };
      slots.push(jobChunkByNumber(job, chunkSize, chunk));
      slots.push(jobChunkByIndex(job, chunkSize, chunkOfFrame(number - segment.start, chunkSize)));
    }
    const found = new Map(slots.map((frames) => [keyOf(source, frames, quality), frames.indexOf(number)]));
    const chunks = Array.from(found, ([key, at]) => ({ key, at }));
    return chunks.toSorted((a, b) => Number(this.cache.has(b.key)) - Number(this.cache.has(a.key)));
  }

  /** The context images of a frame, as an archive of JPEGs. @throws MediaError */
  async context(source: MediaSource, paths: readonly string[]): Promise<Buffer> {
    const names = contextNames(paths);
    const options = { ...this.optionsOf(source, 'compressed'), imageQuality: CONTEXT_QUALITY };
    const members = await mapBounded(paths, FILES_AT_A_TIME, async (path, at) => {
      const image = { name: path, file: await this.files.locate(source, path) };
      return { name: names[at] ?? '', data: await this.images.run({ kind: 'frame', image, options }) };
    });
    return storedZip(members);
  }

  /**
   * A frame of a video, from its chunk if that is cached.
   * @param frame of the task
   * @throws MediaError
   */
  async videoFrame(source: MediaSource, frame: number, quality: Quality): Promise<Buffer> {
    const type = quality === 'compressed' && source.compressedType === 'imageset' ? 'jpeg' : 'png';
    const answer = { type, quality, imageQuality: source.imageQuality } as const;
    const video = await this.video(source);
    const slots = taskChunkFrames(chunkOfFrame(frame, source.chunkSize ?? 1), source.chunkSize ?? 1, source.size);
    const at = frame - (slots[0] ?? 0);
    const key = keyOf(source, slots, quality);
    if (type === 'jpeg') {
      const member = await this.members.read(key, at);
      if (member !== undefined) return member.data;
    }
    const file = type === 'png' && quality === 'compressed' ? await this.cache.file(key) : undefined;
    if (file !== undefined) {
      const found = await this.frameOfChunk(video, { file, frame: at }, answer);
      if (found !== undefined) return found;
    }
    return this.videos.frame(video, absoluteFrame(source, frame), answer);
  }

  /** @returns undefined if the chunk was deleted in the meantime */
  private async frameOfChunk(video: VideoRef, place: ChunkPlace, answer: FrameContent): Promise<Buffer | undefined> {
    try {
      return await this.videos.frameOfChunk(video, place, answer);
    } catch (error) {
      if (existsSync(place.file)) throw error;
      return undefined;
    }
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
    const chunks = await this.videos.chunksAhead(await this.video(source), frames, options);
    for (const [at, chunk] of chunks.entries())
      await this.cache.getOrCreate(missing[at]?.key ?? '', () => Promise.resolve(chunk));
    return chunks.reduce((sum, { length }) => sum + length, 0);
  }

  /** Removes everything cached for deleted data. */
  forget(dataId: number): Promise<void> {
    this.videos.forget(dataId);
    return this.cache.deletePrefix(`${dataId}/`);
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
    const found: FrameAhead[] = [];
    const frames = await mapBounded(slots, FILES_AT_A_TIME, async (slot) => {
      if (slot === null) return null;
      const name = known(byFrame.get(absoluteFrame(source, slot)));
      const file = await this.files.locate(source, name);
      if (quality === 'original') return { name, file };
      const ahead = (await this.cachedFrame(source, slot)) ?? (await this.ahead(source, { file }));
      if (ahead === undefined) return { name, file };
      found.push(ahead);
      return { name, file, ready: ahead.path };
    });
    const options = { ...this.optionsOf(source, quality), jpegOnly: isSelection(source) };
    await this.framesAhead.giveWay(() => this.images.run({ kind: 'chunk', frames, target, options }));
    await this.framesAhead.drop(found);
    return 'written';
  }

  /** A frame that was requested before its chunk was built. */
  private async cachedFrame(source: MediaSource, number: number): Promise<FrameAhead | undefined> {
    const key = frameKeyOf(source, number);
    const path = this.cache.has(key) ? await this.cache.file(key) : undefined;
    return path === undefined ? undefined : { key, path };
  }

  private async ahead(
    { imageQuality }: MediaSource,
    { file }: Pick<ImageFile, 'file'>,
  ): Promise<FrameAhead | undefined> {
    return typeof file === 'string' ? this.framesAhead.find(file, imageQuality) : undefined;
  }

  private optionsOf({ imageQuality }: MediaSource, quality: Quality): ChunkOptions {
    return { quality, imageQuality, limits: this.images.limits };
  }

  private async buildOfVideo(source: MediaSource, slots: readonly ChunkSlot[], quality: Quality): Promise<Buffer> {
    const frames = slots.map((slot) => (slot === null ? null : absoluteFrame(source, slot)));
    const type = chunkTypeOf(source, quality);
    return this.videos.chunk(await this.video(source), frames, { type, quality, imageQuality: source.imageQuality });
  }

  private async video({ dataId, storage, cloudStorageId }: MediaSource): Promise<VideoRef> {
    const [row] = await this.sources.frames(this.db, dataId, 0, 0);
    return { dataId, storage, cloudStorageId, path: known(row?.path) };
  }
}

/** The type of a task's or job's chunks. A job with selected frames has archives of JPEGs, even for a video. */
export function chunkTypeOf(source: MediaSource, quality: Quality): ChunkType {
  if (isSelection(source)) return 'imageset';
  return quality === 'compressed' ? source.compressedType : source.originalType;
}

/** Whether this is a job with only some frames of its range. */
const isSelection = ({ segment }: MediaSource): boolean => segment !== null && segment.included !== null;

/** Whether this is a video task. Its only frame row is the video. */
export const isVideo = ({ originalType }: MediaSource): boolean => originalType === 'video';

/** A frame without a path was deleted with its task after the lookup. @throws NotFound */
function known(path: string | undefined): string {
  if (path === undefined) throw NotFound.of('Task');
  return path;
}

/** The cache key of a chunk. Jobs with selected frames have chunks of their own, separate from the task's. */
const ownKeyOf = (source: MediaSource, slots: readonly ChunkSlot[], quality: Quality): string =>
  keyOf(source, slots, quality) + (isSelection(source) ? '-jpegs' : '');

/** The cache key of a compressed frame whose chunk is not built yet. */
const frameKeyOf = (source: MediaSource, number: number): string =>
  `${source.dataId}/frame/${stateOf(source)}-${number}`;

/** Tasks and jobs share chunks that have the same frames. */
function keyOf(source: MediaSource, slots: readonly ChunkSlot[], quality: Quality): string {
  const first = slots[0] ?? 0;
  const isRun = slots.every((slot, index) => slot === first + index);
  const name = isRun ? `${first}-${slots.length}` : createHash('sha256').update(JSON.stringify(slots)).digest('hex');
  return `${source.dataId}/${quality}/${stateOf(source)}-${name}`;
}

/** Part of the key, because frames show other images after honeypots change. Outdated entries expire in the cache. */
const stateOf = (source: MediaSource): string =>
  isVideo(source) ? 'video' : Date.parse(source.chunksDate ?? '').toString(36);
