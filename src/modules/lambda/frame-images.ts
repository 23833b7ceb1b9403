import { Injectable } from '@nestjs/common';
import { InvalidString } from '../../core/http/errors/errors.js';
import { MediaError } from '../../engines/media/media-error.js';
import type { Actor } from '../../shared/policy/actor.js';
import { ImageWorker } from '../../core/images/image-worker.js';
import { MediaReader } from '../media/index.js';
import type { Region } from './lambda-function.js';
import type { LambdaTarget } from './lambda-targets.js';

/** The images that functions get. */
@Injectable()
export class FrameImages {
  constructor(
    private readonly media: MediaReader,
    private readonly images: ImageWorker,
  ) {}

  /**
   * The original file of a frame as Base64; of a video, or of a part of a frame, a PNG. Checks that the actor may still
   * read it.
   * @throws ApiError
   */
  async read(
    actor: Actor,
    { taskId, jobId }: LambdaTarget,
    frame: number,
    region: Region | null = null,
  ): Promise<string> {
    const owner = jobId === null ? ({ kind: 'task', id: taskId } as const) : ({ kind: 'job', id: jobId } as const);
    const { body, onSent } = await this.media.original(actor, owner, frame);
    try {
      return (region === null ? body : await this.crop(body, frame, region)).toString('base64');
    } finally {
      onSent?.();
    }
  }

  private async crop(file: Buffer, frame: number, region: Region): Promise<Buffer> {
    const { limits } = this.images;
    try {
      return await this.images.run({ kind: 'crop', image: { name: `frame ${frame}`, file }, region, limits });
    } catch (error) {
      throw error instanceof MediaError ? new InvalidString(error.message) : error;
    }
  }
}
