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
import { FramePrograms } from '../../engines/media/video/frame-programs.js';
import type { VideoFrameJob } from '../../engines/media/video/video-frame.js';
import { readWholeFile } from '../../engines/memory/read-whole-file.js';

const PROGRAM = fileURLToPath(new URL('../../engines/media/image-process-main.js', import.meta.url));
const IDLE_MS = 300_000;
/** Below everything that somebody waits for: an answer of the API finds a processor at once. */
const NICENESS = 10;
/** Its memory is large after a document. */
const DOCUMENT_IDLE_MS = 10_000;
/** One page of a document: it may be made so that it has no end. */
const DOCUMENT_LIMIT_MS = 240_000;
/** As many images as one job may have. */
const IMAGE_LIMIT_MS = 900_000;
const COMMON = { program: PROGRAM, niceness: NICENESS, idleMs: IDLE_MS, limitMs: IMAGE_LIMIT_MS };
/** Images of one job for the process. */
const PROBED_TOGETHER = 32;
const GROUPS_AT_A_TIME = 2;

export interface ProbeOptions extends Pick<ProbeJob, 'whole'> {
  readonly signal: AbortSignal;
  /** 0 to 1. */
  readonly onProgress: (done: number) => void;
}

/**
 * Decodes and encodes images, in a process beside the server's own unless the settings say otherwise. Documents have
 * more of them, for a page keeps its thread busy, and so have frames of videos, for somebody waits for each of them: a small
 * process starts programs quickly, and their pixels do not pass through the server's.
 */
@Injectable()
export class ImageWorker implements OnApplicationShutdown {
  /** Of all images on this server. */
  readonly limits: ImageLimits;
  private readonly images: ImageProcess | undefined;
  /** As many as documents were processed at a time: these are those of background requests. */
  private readonly documents: ImageProcess[] = [];
  private readonly freeDocuments: ImageProcess[] = [];
  private readonly videoFrames: ImageProcess | undefined;
  /** What is used where there are no processes. */
  private readonly tools = { programs: new FramePrograms() };

  constructor(@Inject(CONFIG) { imageProcess, limits }: Config) {
    this.limits = { maxPixels: limits.imagePixels };
    if (!imageProcess) return;
    this.images = new ImageProcess(COMMON);
    this.videoFrames = new ImageProcess({ ...COMMON, niceness: 0 });
  }

  /** @throws MediaError that names the image; the signal's reason, at once */
  run<Job extends ImageJob>(job: Job, progress: JobProgress = {}): Promise<ImageResult<Job>> {
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

  /** Frames of a video will be asked for soon: the first one does not wait for the process. */
  expectVideoFrames(): void {
    this.videoFrames?.wake();
  }

  /**
   * A frame of a video, in memory that nobody else has. It comes through a file: pieces of two megabytes from another process
   * would have the collector of garbage look through the server's memory for every few frames.
   * @returns undefined where it cannot be found in this way
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
   * Looks at any number of images and point clouds on disk; no more of them are held at a time than are looked at.
   * @param place where the image of a name lies
   * @returns their sizes, in their order
   * @throws MediaError that names the image; the signal's reason
   */
  async probe(
    names: readonly string[],
    place: (name: string) => string | Promise<string>,
    { whole, signal, onProgress }: ProbeOptions,
  ): Promise<FrameSize[]> {
    const groups = Array.from({ length: Math.ceil(names.length / PROBED_TOGETHER) }, (_, at) => at * PROBED_TOGETHER);
    let done = 0;
    const sizes = await mapBounded(groups, GROUPS_AT_A_TIME, async (first) => {
      signal.throwIfAborted();
      const group = names.slice(first, first + PROBED_TOGETHER);
      const images = await Promise.all(group.map(async (name) => ({ name, file: await place(name) })));
      const found = await this.run({ kind: 'probe', images, whole, limits: this.limits }, { signal });
      done += group.length;
      onProgress(done / names.length);
      return found;
    });
    return sizes.flat();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.images?.stop();
    for (const process of this.documents) await process.stop();
    await this.videoFrames?.stop();
    await this.tools.programs.stop();
  }
}
