import { Injectable } from '@nestjs/common';
import type { DatasetFrame, DatasetTask } from '../../../engines/annotations/formats/dataset.js';
import { asPcd } from '../../../engines/media/point-cloud.js';
import { isPointCloud } from '../../../shared/media-kind.js';
import { MediaFiles, VideoStore } from '../../media/index.js';
import type { TaskMedia } from '../dataset/dataset.loader.js';

/** The image of a frame. */
export interface ExportedImage {
  readonly frame: DatasetFrame;
  readonly image: Buffer;
}

/** Reads the images that an export contains. */
@Injectable()
export class ExportImages {
  constructor(
    private readonly media: MediaFiles,
    private readonly videos: VideoStore,
  ) {}

  /** The images of a task, in order. The next one is read while the caller writes one. */
  async *of(task: DatasetTask, media: TaskMedia, signal: AbortSignal): AsyncGenerator<ExportedImage> {
    if (media.video !== null) {
      yield* this.ofVideo(task, { ...media, video: media.video }, signal);
      return;
    }
    let next: Promise<ExportedImage> | undefined;
    for (const frame of task.frames) {
      signal.throwIfAborted();
      const path = media.paths.get(frame.number);
      if (path === undefined) continue;
      const image = this.read(media, frame, path);
      image.catch(() => undefined); // reported when it is yielded, unless another error comes first
      if (next !== undefined) yield await next;
      next = image;
    }
    if (next !== undefined) yield await next;
  }

  /** A context image. @param at its position among those of the frame */
  related(media: TaskMedia, frame: DatasetFrame, at: number): Promise<Buffer> {
    return this.media.read(media, frame.related?.[at] ?? '');
  }

  private async read(media: TaskMedia, frame: DatasetFrame, path: string): Promise<ExportedImage> {
    const image = await this.media.read(media, path);
    return { frame, image: isPointCloud(path) ? asPcd(image, path) : image };
  }

  private async *ofVideo(
    { frames }: DatasetTask,
    { video: path, ...stored }: TaskMedia & { readonly video: string },
    signal: AbortSignal,
  ): AsyncGenerator<ExportedImage> {
    const numbers = frames.map(({ number }) => number);
    let at = 0;
    for await (const image of this.videos.images({ ...stored, path }, numbers, signal)) {
      const frame = frames[at++];
      if (frame !== undefined) yield { frame, image };
    }
  }
}
