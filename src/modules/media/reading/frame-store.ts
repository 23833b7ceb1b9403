import { existsSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import { MediaCache } from '../../../core/media-storage/media-cache.js';
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
import { pointCloudPreview } from '../../../engines/media/point-cloud.js';
import { ChunkMembers, storedZip } from '../../../engines/media/stored-zip.js';
import { freeMemory } from '../../../engines/memory/memory.js';
import { imageMimeType, isPointCloud } from '../../../shared/media-kind.js';
import { FramesAhead } from '../frames-ahead.js';
import { ImageWorker } from '../../../core/images/image-worker.js';
import { MediaFiles } from '../media-files.js';
import { frameKeyOf, isSelection, isVideo, keyOf, previewKeyOf, type Quality } from './chunk-keys.js';
import { type MediaSource, MediaSourceRepository } from './media-source.repository.js';
import { SharedChunks } from './shared-chunks.js';
import { type ChunkPlace, type FrameContent, type VideoRef, VideoStore } from './video-store.js';

/** A single image or point cloud. */
export interface ImageFrame {
  readonly type: string;
  readonly body: Buffer;
  /** Call when the body is no longer used. */
  readonly release?: () => void;
}

const JPEG = 'image/jpeg';

const FILES_AT_A_TIME = 8;

const CONTEXT_QUALITY = 90;

/** Single frames, their context images and thumbnails: from cached chunks, or made on demand. */
@Injectable()
export class FrameStore {
  private readonly members: ChunkMembers;

  constructor(
    private readonly db: Db,
    private readonly cache: MediaCache,
    private readonly files: MediaFiles,
    private readonly images: ImageWorker,
    private readonly framesAhead: FramesAhead,
    private readonly videos: VideoStore,
    private readonly sources: MediaSourceRepository,
    private readonly shared: SharedChunks,
  ) {
    this.members = new ChunkMembers(cache);
  }

  /** A thumbnail of a frame. @throws MediaError, MediaStorageFull */
  preview(source: MediaSource, frame: number): Promise<Buffer> {
    const key = previewKeyOf(source, frame);
    const make = async (): Promise<Buffer> => {
      const absolute = absoluteFrame(source, frame);
      if (isVideo(source)) return this.videos.preview(await this.sources.video(this.db, source), absolute);
      const { path } = await this.sources.frame(this.db, source.dataId, absolute);
      if (isPointCloud(path)) return pointCloudPreview();
      return this.files.held(async (media) => {
        const image = { name: path, file: await media.locate(source, path) };
        return this.images.run({ kind: 'preview', image, limits: this.images.limits });
      });
    };
    return this.cache.getOrCreate(key, this.shared.sharing(key, make));
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
    const { path } = await this.sources.frame(this.db, source.dataId, absolute);
    const options = this.optionsOf(source, quality);
    if (quality === 'original') {
      const body = await this.files.held(async (media) => {
        const image = { name: path, file: await media.locate(source, path) };
        return this.images.run({ kind: 'frame', image, options });
      });
      return { type: imageMimeType(path), body };
    }
    const body = await this.cache.getOrCreate(
      key,
      (target) =>
        this.files.held(async (media) => {
          const image = { name: path, file: await media.locate(source, path) };
          const ahead = await this.framesAhead.find(image.file, source.imageQuality);
          const ready = ahead === undefined ? {} : { ready: ahead.path };
          await this.images.run({ kind: 'frame-file', image: { ...image, ...ready }, target, options });
          return 'written' as const;
        }),
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
    return this.files.held(async (media) => {
      const members = await mapBounded(paths, FILES_AT_A_TIME, async (path, at) => {
        const image = { name: path, file: await media.locate(source, path) };
        return { name: names[at] ?? '', data: await this.images.run({ kind: 'frame', image, options }) };
      });
      return storedZip(members);
    });
  }

  /**
   * A frame of a video, from its chunk if that is cached.
   * @param frame of the task
   * @throws MediaError
   */
  async videoFrame(source: MediaSource, frame: number, quality: Quality): Promise<Buffer> {
    const type = quality === 'compressed' && source.compressedType === 'imageset' ? 'jpeg' : 'png';
    const answer = { type, quality, imageQuality: source.imageQuality } as const;
    const video = await this.sources.video(this.db, source);
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

  private optionsOf({ imageQuality }: MediaSource, quality: Quality): ChunkOptions {
    return { quality, imageQuality, limits: this.images.limits };
  }
}
