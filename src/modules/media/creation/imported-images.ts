import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { defaultChunkSize } from '../../../engines/media/chunks.js';
import { splitContextImages } from '../../../engines/media/context-images.js';
import { safeMediaPath } from '../../../engines/media/file-name.js';
import { writeImageManifest } from '../../../engines/media/manifest.js';
import { planSegments } from '../../../engines/media/segments.js';
import { compareCodePoints } from '../../../engines/media/sorting.js';
import { sql } from '../../../engines/sql/sql.js';
import { isPointCloud } from '../../../shared/media-kind.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { JobCreation } from '../../jobs/index.js';
import { TaskService } from '../../tasks/index.js';
import { ImageWorker, type ProbeOptions } from '../../../core/images/image-worker.js';
import { MediaDataRepository, type NewFrame } from '../media-data.repository.js';
import { MediaFolders } from '../media-files.js';

/** An image of a task to be created, with its name in that task. */
export interface ImportedImage {
  readonly name: string;
  read(): AsyncIterable<Uint8Array>;
}

/** Cancellation and progress of a preparation. */
export type PreparationOptions = Omit<ProbeOptions, 'whole'>;

/** Stored images that do not belong to a task yet. */
export interface ImportedData {
  readonly dataId: number;
  /** In frame order. */
  readonly images: readonly Omit<NewFrame, 'frame'>[];
}

/** Creates tasks from the images of imported datasets: first the files, then all rows in the import's transaction. */
@Injectable()
export class ImportedImages {
  constructor(
    private readonly db: Db,
    private readonly data: MediaDataRepository,
    private readonly folders: MediaFolders,
    private readonly images: ImageWorker,
    private readonly jobs: JobCreation,
    private readonly tasks: TaskService,
  ) {}

  /** Reserves an id for data. Nothing is stored under it yet. */
  reserve(): Promise<number> {
    return this.data.reserveId(this.db);
  }

  /**
   * Stores the images and checks each of them.
   * @throws MediaError that names the image
   */
  async prepare(
    dataId: number,
    images: readonly ImportedImage[],
    { signal, onProgress }: PreparationOptions,
  ): Promise<ImportedData> {
    await this.folders.begin(dataId);
    try {
      return await this.store(dataId, images, { signal, onProgress });
    } finally {
      this.folders.end(dataId);
    }
  }

  private async store(
    dataId: number,
    images: readonly ImportedImage[],
    { signal, onProgress }: PreparationOptions,
  ): Promise<ImportedData> {
    const named = new Map(images.map((image) => [safeMediaPath(image.name), image]));
    const { frames, related } = splitContextImages([...named.keys()].toSorted(compareCodePoints));
    for (const [name, image] of named) await writeImported(image, this.folders.raw(dataId, name), signal);
    const locate = (name: string): string => this.folders.raw(dataId, name);
    const sizes = await this.images.probe(frames, locate, { whole: true, signal, onProgress });
    const found = frames.map((path, index) => {
      const { width, height } = sizes[index] ?? { width: 0, height: 0 };
      return { path, width, height, related: related.get(path) ?? [], realFrame: null };
    });
    await writeImageManifest(this.folders.manifest(dataId), found);
    await this.folders.publish(dataId);
    return { dataId, images: found };
  }

  /** Assigns the images to a task without data, creates its one job, and records the events. */
  async save(tx: Tx, actor: Actor, taskId: number, { dataId, images }: ImportedData): Promise<void> {
    const [first = { width: 1, height: 1 }] = images;
    const size = images.length;
    const dimension = images.some(({ path }) => isPointCloud(path)) ? '3d' : '2d';
    await this.data.requireSameDimension(tx, taskId, dimension);
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
      Promise.resolve([
        sql`mode = 'annotation'`,
        sql`dimension = ${dimension}`,
        sql`segment_size = ${segmentSize}`,
        sql`overlap = ${overlap}`,
      ]),
    );
  }

  /** Removes images that were not assigned to a task. */
  async remove(dataIds: readonly number[]): Promise<void> {
    for (const id of dataIds) await this.folders.removeData(id);
  }
}

/** Writes a file and creates its parent folders. @throws the signal's reason */
export async function writeImported(image: ImportedImage, location: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await mkdir(dirname(location), { recursive: true });
  await pipeline(Readable.from(image.read()), createWriteStream(location), { signal });
}
