import { fileURLToPath } from 'node:url';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { createLimiter } from '../../engines/media/concurrency.js';
import { doImageJob, type ImageJob, type ImageResult } from '../../engines/media/image-job.js';
import { ImageProcess } from '../../engines/media/image-process.js';

const PROGRAM = fileURLToPath(new URL('../../engines/media/image-process-main.js', import.meta.url));
const IDLE_MS = 300_000;
/** Its memory is large after a document. */
const DOCUMENT_IDLE_MS = 10_000;
/** Pages of a PDF are rendered by programs in it, one after the other, with no end that one could know. */
const DOCUMENT_LIMIT_MS = 240_000;

/**
 * Decodes and encodes images, in a process beside the server's own unless the settings say otherwise. Documents have
 * one more, for a page keeps its thread busy.
 */
@Injectable()
export class ImageWorker implements OnApplicationShutdown {
  private readonly images: ImageProcess | undefined;
  private readonly documents: ImageProcess | undefined;
  private readonly oneByOne = createLimiter(1);

  constructor(@Inject(CONFIG) { imageProcess }: Config) {
    if (!imageProcess) return;
    this.images = new ImageProcess({ program: PROGRAM, idleMs: IDLE_MS });
    this.documents = new ImageProcess({ program: PROGRAM, idleMs: DOCUMENT_IDLE_MS, limitMs: DOCUMENT_LIMIT_MS });
  }

  /** @throws MediaError that names the image */
  run<Job extends ImageJob>(job: Job): Promise<ImageResult<Job>> {
    if (job.kind === 'pdf') return this.oneByOne(() => this.documents?.run(job) ?? doImageJob(job));
    return this.images?.run(job) ?? doImageJob(job);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.images?.stop();
    await this.documents?.stop();
  }
}
