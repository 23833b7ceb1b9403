import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Db } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { defaultChunkSize } from '../../../engines/media/chunks.js';
import { splitContextImages } from '../../../engines/media/context-images.js';
import { safeMediaPath } from '../../../engines/media/file-name.js';
import type { FrameSize } from '../../../engines/media/image-job.js';
import { writeImageManifest } from '../../../engines/media/manifest.js';
import { planSegments } from '../../../engines/media/segments.js';
import { compareCodePoints } from '../../../engines/media/sorting.js';
import { sql } from '../../../engines/sql/sql.js';
import type { Actor } from '../../../policy/actor.js';
import { JobCreation } from '../../jobs/index.js';
import { TaskService } from '../../tasks/index.js';
import { ImageWorker } from '../image-worker.js';
import { MediaDataRepository, type NewFrame } from '../media-data.repository.js';
import { MediaFolders } from '../media-folders.js';

/** Images of one job for the image process. */
const PROBED_TOGETHER = 32;

/** An image of a task to be, by the name that it has there. */
export interface ImportedImage {
  readonly name: string;
  read(): AsyncIterable<Uint8Array>;
}

/** Images in their place, not yet those of a task. */
export interface ImportedData {
  readonly dataId: number;
  /** In the order of the frames. */
  readonly images: readonly Omit<NewFrame, 'frame'>[];
}

/** Tasks of images that come out of datasets: first the files, then all rows in the transaction of the import. */
@Injectable()
export class ImportedImages {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(Db) private readonly db: Db,
    @Inject(MediaDataRepository) private readonly data: MediaDataRepository,
    @Inject(MediaFolders) private readonly folders: MediaFolders,
    @Inject(ImageWorker) private readonly images: ImageWorker,
    @Inject(JobCreation) private readonly jobs: JobCreation,
    @Inject(TaskService) private readonly tasks: TaskService,
  ) {}

  /** An id for data to come. Nothing is there yet. */
  reserve(): Promise<number> {
    return this.data.reserveId(this.db);
  }

  /**
   * Writes images to their place and looks at each of them.
   * @throws MediaError that names the image
   */
  async prepare(
    dataId: number,
    images: readonly ImportedImage[],
    { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (done: number) => void },
  ): Promise<ImportedData> {
    const named = new Map(images.map((image) => [safeMediaPath(image.name), image]));
    const { frames, related } = splitContextImages([...named.keys()].toSorted(compareCodePoints));
    const limits = { maxPixels: this.config.limits.imagePixels };
    for (const [name, image] of named) {
      signal.throwIfAborted();
      const place = this.folders.raw(dataId, name);
      await mkdir(dirname(place), { recursive: true });
      await pipeline(Readable.from(image.read()), createWriteStream(place), { signal });
    }
    const sizes: FrameSize[] = [];
    for (let at = 0; at < frames.length; at += PROBED_TOGETHER) {
      signal.throwIfAborted();
      const some = frames
        .slice(at, at + PROBED_TOGETHER)
        .map((name) => ({ name, file: this.folders.raw(dataId, name) }));
      sizes.push(...(await this.images.run({ kind: 'probe', images: some, whole: true, limits })));
      onProgress(sizes.length / frames.length);
    }
    const found = frames.map((path, index) => {
      const { width, height } = sizes[index] ?? { width: 0, height: 0 };
      return { path, width, height, related: related.get(path) ?? [], realFrame: null };
    });
    await writeImageManifest(this.folders.manifest(dataId), found);
    return { dataId, images: found };
  }

  /** Makes the images those of a task without data, with one job, and tells it. */
  async save(tx: Tx, actor: Actor, taskId: number, { dataId, images }: ImportedData): Promise<void> {
    const [first = { width: 1, height: 1 }] = images;
    const size = images.length;
    await this.data.insertWhole(tx, dataId, { size, chunkSize: defaultChunkSize('imageset', first) });
    await this.data.insertFrames(
      tx,
      dataId,
      images.map((image, frame) => ({ ...image, frame })),
    );
    const { segmentSize, overlap, segments } = planSegments({
      size,
      segmentSize: 0,
      overlap: null,
      mode: 'annotation',
    });
    await this.tasks.change(tx, actor, taskId, () => Promise.resolve([sql`data_id = ${dataId}`]));
    const parts = segments.map((range) => ({
      ...range,
      type: 'range' as const,
      frames: [],
      jobType: 'annotation' as const,
    }));
    await this.jobs.createForTask(tx, actor, taskId, parts, 0);
    await this.tasks.change(tx, actor, taskId, () =>
      Promise.resolve([sql`mode = 'annotation'`, sql`segment_size = ${segmentSize}`, sql`overlap = ${overlap}`]),
    );
  }

  /** Removes images that became no task's. */
  async remove(dataIds: readonly number[]): Promise<void> {
    for (const id of dataIds) await this.folders.removeData(id);
  }
}
