import { fileURLToPath } from 'node:url';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { createLimiter, mapBounded } from '../../engines/concurrency/concurrency.js';
import {
  doImageJob,
  type FrameSize,
  type ImageJob,
  type ImageResult,
  type ProbeJob,
} from '../../engines/media/image-job.js';
import { ImageProcess } from '../../engines/media/image-process.js';
import type { ImageLimits } from '../../engines/media/image-source.js';

const PROGRAM = fileURLToPath(new URL('../../engines/media/image-process-main.js', import.meta.url));
const IDLE_MS = 300_000;
/** Its memory is large after a document. */
const DOCUMENT_IDLE_MS = 10_000;
/** Pages of a PDF are rendered by programs in it, one after the other, with no end that one could know. */
const DOCUMENT_LIMIT_MS = 240_000;
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
 * one more, for a page keeps its thread busy.
 */
@Injectable()
export class ImageWorker implements OnApplicationShutdown {
  /** Of all images on this server. */
  readonly limits: ImageLimits;
  private readonly images: ImageProcess | undefined;
  private readonly documents: ImageProcess | undefined;
  private readonly oneByOne = createLimiter(1);

  constructor(@Inject(CONFIG) { imageProcess, limits }: Config) {
    this.limits = { maxPixels: limits.imagePixels };
    if (!imageProcess) return;
    this.images = new ImageProcess({ program: PROGRAM, idleMs: IDLE_MS });
    this.documents = new ImageProcess({ program: PROGRAM, idleMs: DOCUMENT_IDLE_MS, limitMs: DOCUMENT_LIMIT_MS });
  }

  /** @throws MediaError that names the image */
  run<Job extends ImageJob>(job: Job): Promise<ImageResult<Job>> {
    if (job.kind === 'pdf') return this.oneByOne(() => this.documents?.run(job) ?? doImageJob(job));
    return this.images?.run(job) ?? doImageJob(job);
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
      const found = await this.run({ kind: 'probe', images, whole, limits: this.limits });
      done += group.length;
      onProgress(done / names.length);
      return found;
    });
    return sizes.flat();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.images?.stop();
    await this.documents?.stop();
  }
}
