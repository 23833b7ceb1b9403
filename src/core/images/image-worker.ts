import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { mapBounded } from '../../engines/concurrency/concurrency.js';
import {
  doImageJob,
  type FrameSize,
  type ImageJob,
  type ImageResult,
  type ProbeJob,
} from '../../engines/media/image-job.js';
import { ImageProcess } from '../../engines/media/image-process.js';
import type { ImageLimits } from '../../engines/media/image-source.js';
import { storageError } from '../../engines/media/media-error.js';
import type { JobProgress } from '../../engines/media/pdf.js';
import { temporaryPath } from '../../engines/media/temporary.js';
import { SpanKind, tracedStep } from '../../engines/tracing/tracing.js';
import { FramePrograms } from '../../engines/media/video/frame-programs.js';
import type { VideoFrameJob } from '../../engines/media/video/video-frame.js';
import { readWholeFile } from '../../engines/memory/memory.js';

const PROGRAM = fileURLToPath(new URL('../../engines/media/image-process-main.js', import.meta.url));
const IDLE_MS = 300_000;
/** Lower priority than the server, so that API responses get a processor immediately. */
const NICENESS = 10;
/** Short, because the process uses much memory after a document. */
const DOCUMENT_IDLE_MS = 10_000;
/** Per page of a document: a malicious page may render forever. */
const DOCUMENT_LIMIT_MS = 240_000;
/** For the largest number of images in one job. */
const IMAGE_LIMIT_MS = 900_000;
const COMMON = { program: PROGRAM, niceness: NICENESS, idleMs: IDLE_MS, limitMs: IMAGE_LIMIT_MS };
/** Number of images per probe job. */
const PROBED_TOGETHER = 32;
const GROUPS_AT_A_TIME = 2;

export interface ProbeOptions extends Pick<ProbeJob, 'whole'> {
  readonly signal: AbortSignal;
  /** 0 to 1. */
  readonly onProgress: (done: number) => void;
}

/**
 * Decodes and encodes images in separate processes, unless the settings disable them. Documents use several processes,
 * since a page occupies its thread. Video frames have a process at normal priority, since a client waits for each of
 * them: a small process starts programs quickly, and pixels do not pass through the server's memory.
 */
@Injectable()
export class ImageWorker implements OnApplicationShutdown {
  /** Apply to all images on this server. */
  readonly limits: ImageLimits;
  private readonly images: ImageProcess | undefined;
  /** One per document processed concurrently, which the number of background requests limits. */
  private readonly documents: ImageProcess[] = [];
  private readonly freeDocuments: ImageProcess[] = [];
  private readonly videoFrames: ImageProcess | undefined;
  /** Used when image processes are disabled. */
  private readonly tools = { programs: new FramePrograms() };

  constructor(@Inject(CONFIG) { imageProcess, limits }: Config) {
    this.limits = { maxPixels: limits.imagePixels };
    if (!imageProcess) return;
    this.images = new ImageProcess(COMMON);
    this.videoFrames = new ImageProcess({ ...COMMON, niceness: 0 });
  }

  /** @throws MediaError that names the image; the signal's reason, immediately */
  run<Job extends ImageJob>(job: Job, progress: JobProgress = {}): Promise<ImageResult<Job>> {
    const attributes = { 'cairn.media.job': job.kind };
    return tracedStep(`media ${job.kind}`, SpanKind.INTERNAL, attributes, () => this.assign(job, progress));
  }

  private assign<Job extends ImageJob>(job: Job, progress: JobProgress): Promise<ImageResult<Job>> {
    if (this.images !== undefined && (job.kind === 'pdf' || job.kind === 'tiff')) return this.document(job, progress);
    const process = job.kind === 'video-frame' ? this.videoFrames : this.images;
    return process?.run(job, progress) ?? this.here(job, progress);
  }

  private async document<Job extends ImageJob>(job: Job, progress: JobProgress): Promise<ImageResult<Job>> {
    const process = this.freeDocuments.pop() ?? this.newDocumentProcess();
    try {
      return await process.run(job, progress);
    } finally {
      this.freeDocuments.push(process);
    }
  }

  private newDocumentProcess(): ImageProcess {
    const process = new ImageProcess({ ...COMMON, idleMs: DOCUMENT_IDLE_MS, limitMs: DOCUMENT_LIMIT_MS });
    this.documents.push(process);
    return process;
  }

  private here<Job extends ImageJob>(job: Job, progress: JobProgress): Promise<ImageResult<Job>> {
    return doImageJob(job, this.tools, progress);
  }

  /** Starts the process for video frames in advance, so that the first frame does not wait for it. */
  expectVideoFrames(): void {
    this.videoFrames?.wake();
  }

  /**
   * Decodes a frame of a video into memory that the caller owns. The frame is passed through a file: receiving
   * two-megabyte messages from another process would trigger a garbage collection every few frames.
   * @returns undefined if this method cannot decode the frame
   * @throws MediaError that names the video, MediaStorageFull
   */
  async videoFrame(job: Omit<VideoFrameJob, 'target'>): Promise<Buffer | undefined> {
    const target = temporaryPath();
    try {
      return (await this.run({ ...job, target })) === 0 ? undefined : await readWholeFile(target);
    } catch (error) {
      throw storageError(error);
    } finally {
      await rm(target, { force: true });
    }
  }

  /**
   * Probes any number of images and point clouds on disk. Holds only the images in progress in memory.
   * @param locate returns the path of an image
   * @returns their sizes, in the same order
   * @throws MediaError that names the image; the signal's reason
   */
  async probe(
    names: readonly string[],
    locate: (name: string) => string | Promise<string>,
    { whole, signal, onProgress }: ProbeOptions,
  ): Promise<FrameSize[]> {
    const groups = Array.from({ length: Math.ceil(names.length / PROBED_TOGETHER) }, (_, at) => at * PROBED_TOGETHER);
    let done = 0;
    const sizes = await mapBounded(groups, GROUPS_AT_A_TIME, async (first) => {
      signal.throwIfAborted();
      const group = names.slice(first, first + PROBED_TOGETHER);
      const images = await Promise.all(group.map(async (name) => ({ name, file: await locate(name) })));
      const found = await this.run({ kind: 'probe', images, whole, limits: this.limits }, { signal });
      done += group.length;
      onProgress(done / names.length);
      return found;
    });
    return sizes.flat();
  }

  async onApplicationShutdown(): Promise<void> {
    const processes = [this.images, this.videoFrames, ...this.documents];
    await Promise.all(processes.flatMap((process) => process?.end() ?? []));
    await this.tools.programs.stop();
  }
}
