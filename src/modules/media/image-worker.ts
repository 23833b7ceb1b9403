import { fileURLToPath } from 'node:url';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { doImageJob, type ImageJob, type ImageResult } from '../../engines/media/image-job.js';
import { ImageProcess } from '../../engines/media/image-process.js';

const PROGRAM = fileURLToPath(new URL('../../engines/media/image-process-main.js', import.meta.url));
const IDLE_MS = 300_000;

/** Decodes and encodes images, in a process beside the server's own unless the settings say otherwise. */
@Injectable()
export class ImageWorker implements OnApplicationShutdown {
  private readonly process: ImageProcess | undefined;

  constructor(@Inject(CONFIG) { imageProcess }: Config) {
    this.process = imageProcess ? new ImageProcess({ program: PROGRAM, idleMs: IDLE_MS }) : undefined;
  }

  /** @throws MediaError that names the image */
  run<Job extends ImageJob>(job: Job): Promise<ImageResult<Job>> {
    return this.process?.run(job) ?? doImageJob(job);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.process?.stop();
  }
}
