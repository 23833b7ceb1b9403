import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { CONFIG, type Config } from '../../../config/config.js';
import { ensureFolder } from '../../../core/ensure-folder.js';
import { MediaStorage } from '../../../core/media-storage/media-storage.js';
import { Precedence } from '../../../engines/concurrency/precedence.js';
import {
  buildVideoChunks,
  buildVideoImageChunks,
  type VideoChunkOptions,
  videoFrameSize,
  videoOfChunk,
  type VideoSlot,
} from '../../../engines/media/video/video-chunk.js';
import {
  encodeVideoFrame,
  encodeVideoPreview,
  type FrameOptions,
  type VideoDecoders,
} from '../../../engines/media/video/video-frame.js';
import { videoImages } from '../../../engines/media/video/video-images.js';
import { type VideoTools, videoTools } from '../../../engines/media/video/ffmpeg.js';
import type { IndexedVideo, VideoFrameSize } from '../../../engines/media/video/video-decoder.js';
import {
  frameRateOf,
  readVideoIndex,
  type VideoIndex,
  writeVideoIndex,
} from '../../../engines/media/video/video-index.js';
import { indexVideo, type IndexOptions } from '../../../engines/media/video/video-indexer.js';
import { defaultVideoLimits } from '../../../engines/media/video/video-probe.js';
import { ImageWorker } from '../../../core/images/image-worker.js';
import { type HeldMedia, MediaFiles, type MediaLocation, MediaFolders, videoIndexKey } from '../media-files.js';

/** Number of indexes in memory; the index of a one-hour video takes about four megabytes. */
const MAX_INDEXES = 16;

/** How long background decoding pauses after a frame, since clients often request several in succession. */
const LINGER_MS = 300;

/** Niceness relative to the server. */
const EXPORT_NICENESS = 15;

/** A video of a task. */
export interface VideoRef extends MediaLocation {
  /** Relative to the data's folder. */
  readonly path: string;
}

export type ChunkOptions = VideoChunkOptions & { readonly type: 'video' | 'imageset' };

/** The requested format of a frame. */
export interface FrameContent extends Omit<FrameOptions, 'size'> {
  readonly quality: VideoChunkOptions['quality'];
}

/** A file with compressed frames, and the position of one of them. */
export interface ChunkPlace {
  /** Absolute path. */
  readonly file: string;
  readonly frame: number;
}

/** Videos of tasks, their indexes, and what is decoded from them. Frame numbers are absolute here. */
@Injectable()
export class VideoStore {
  readonly tools: VideoTools;
  private readonly decoders: VideoDecoders;
  private readonly indexes = new Map<number, Promise<VideoIndex>>();
  /** Limits the building of chunks. Each process decodes with two threads. */
  private readonly chunksLimited = pLimit(Math.max(2, availableParallelism()));
  /** Runs work that a client waits for before work done in advance. */
  private readonly precedence = new Precedence(LINGER_MS);
  /** Limits single frames separately, so that they do not wait for chunks, which take seconds. */
  private readonly framesLimited = pLimit(Math.max(2, availableParallelism()));

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly folders: MediaFolders,
    private readonly storage: MediaStorage,
    private readonly files: MediaFiles,
    private readonly worker: ImageWorker,
  ) {
    this.tools = videoTools(config.ffmpegPath);
    this.decoders = { tools: this.tools, decode: (job) => worker.videoFrame(job) };
  }

  /**
   * Creates the index of a new video and stores it with the data that is being created.
   * @param file path of the video
   * @throws MediaError, also for frames that are too large
   */
  async index(
    { dataId, name, file }: { readonly dataId: number; readonly name: string; readonly file: string },
    options: Pick<IndexOptions, 'signal' | 'onProgress'>,
  ): Promise<VideoIndex> {
    this.worker.expectVideoFrames();
    const maxPixels = Math.min(this.config.limits.imagePixels, defaultVideoLimits.maxPixels);
    const limits = { ...defaultVideoLimits, maxPixels };
    const index = await indexVideo(this.tools, file, { ...options, limits, name });
    await writeVideoIndex(this.folders.videoIndex(dataId), index);
    return index;
  }

  /**
   * @param slots ascending; null stands for a black frame
   * @throws MediaError, MediaStorageFull
   */
  async chunk(ref: VideoRef, slots: readonly VideoSlot[], options: ChunkOptions): Promise<Buffer> {
    const build = (): Promise<Buffer[]> => this.build(ref, [slots], options);
    const [chunk = Buffer.alloc(0)] = await this.precedence.first(() => this.chunksLimited(build));
    return chunk;
  }

  /**
   * Builds several chunks in advance. Decodes the video once for all of them, and pauses while client requests are
   * served.
   * @throws MediaError, MediaStorageFull
   */
  chunksAhead(ref: VideoRef, chunks: readonly (readonly VideoSlot[])[], options: ChunkOptions): Promise<Buffer[]> {
    return this.build(ref, chunks, { ...options, giveWay: (mostMs) => this.precedence.giveWay(mostMs) });
  }

  private async build(
    ref: VideoRef,
    chunks: readonly (readonly VideoSlot[])[],
    options: ChunkOptions,
  ): Promise<Buffer[]> {
    const build = options.type === 'video' ? buildVideoChunks : buildVideoImageChunks;
    return this.with(ref, (video) => build(this.tools, video, chunks, options));
  }

  /** A frame from the video file. @throws MediaError */
  async frame(ref: VideoRef, frame: number, { quality, ...options }: FrameContent): Promise<Buffer> {
    return this.with(ref, (video) => {
      const size = options.type === 'png' ? videoFrameSize(video, quality) : video.index;
      return this.firstInLine(() =>
        encodeVideoFrame(this.decoders, { video, frame }, { ...options, size: sizeOf(size) }),
      );
    });
  }

  /** A frame from a cached chunk. @throws MediaError */
  async frameOfChunk(ref: VideoRef, { file, frame }: ChunkPlace, options: FrameContent): Promise<Buffer> {
    return this.with(ref, (video) => {
      const size = videoFrameSize(video, 'compressed');
      return this.firstInLine(async () =>
        encodeVideoFrame(this.decoders, { video: await videoOfChunk(video, file), frame }, { ...options, size }),
      );
    });
  }

  /**
   * Yields frames in full size as PNG, in order, at a low priority because no client is waiting.
   * @param frames ascending
   * @throws MediaError
   */
  async *images(ref: VideoRef, frames: readonly number[], signal: AbortSignal): AsyncGenerator<Buffer> {
    const media = this.files.hold();
    try {
      yield* videoImages(this.tools, await this.open(ref, media), frames, { signal, niceness: EXPORT_NICENESS });
    } finally {
      await media.release();
    }
  }

  async preview(ref: VideoRef, frame: number): Promise<Buffer> {
    return this.with(ref, (video) => this.firstInLine(() => encodeVideoPreview(this.tools, video, frame)));
  }

  /** Average number of frames per second. Null if it is not known before the video is read, or if there is one frame. */
  async frameRate(dataId: number): Promise<number | null> {
    const index = await (this.indexes.get(dataId) ?? this.files.held((media) => storedIndex(dataId, media)));
    return index === undefined ? null : frameRateOf(index);
  }

  forget(dataId: number): void {
    this.indexes.delete(dataId);
  }

  private firstInLine<T>(work: () => Promise<T>): Promise<T> {
    return this.precedence.first(() => this.framesLimited(work));
  }

  private with<T>(ref: VideoRef, use: (video: IndexedVideo) => Promise<T>): Promise<T> {
    return this.files.held(async (media) => use(await this.open(ref, media)));
  }

  private async open(ref: VideoRef, media: HeldMedia): Promise<IndexedVideo> {
    const { dataId, path } = ref;
    const reading = this.indexes.get(dataId) ?? this.readIndex(ref);
    // Reinserting keeps the map ordered by use: the least recently used index is evicted first.
    this.indexes.delete(dataId);
    this.indexes.set(dataId, reading);
    const [oldest] = this.indexes.keys();
    if (this.indexes.size > MAX_INDEXES && oldest !== undefined) this.indexes.delete(oldest);
    try {
      return { path: await media.onDisk(ref, path), name: path, index: await reading };
    } catch (error) {
      this.indexes.delete(dataId);
      throw error;
    }
  }

  /** Videos that were imported without an index are indexed on first read. */
  private readIndex(ref: VideoRef): Promise<VideoIndex> {
    const { dataId, path: name } = ref;
    return this.files.held(async (media) => {
      const stored = await storedIndex(dataId, media);
      if (stored !== undefined) return stored;
      const index = await indexVideo(this.tools, await media.onDisk(ref, name), { name });
      const file = await this.storage.workPath(`exports/${randomUUID()}.index`);
      await ensureFolder(dirname(file));
      await writeVideoIndex(file, index);
      await this.storage.keep(videoIndexKey(dataId), file);
      return index;
    });
  }
}

async function storedIndex(dataId: number, media: HeldMedia): Promise<VideoIndex | undefined> {
  const file = await media.path(videoIndexKey(dataId));
  return file === undefined ? undefined : readVideoIndex(file);
}

const sizeOf = ({ width, height }: VideoFrameSize): VideoFrameSize => ({ width, height });
