import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import { defaultChunkSize } from '../../../engines/media/chunks.js';
import { splitContextImages } from '../../../engines/media/context-images.js';
import {
  absoluteFrame,
  type FrameSelection,
  parseFrameStep,
  selectImageFrames,
  selectVideoFrames,
} from '../../../engines/media/frames.js';
import {
  type ManifestImage,
  readImageManifest,
  writeImageManifest,
  writeVideoManifest,
} from '../../../engines/media/manifest.js';
import { MediaError, quoted } from '../../../engines/media/media-error.js';
import { isPointCloud, mediaKind } from '../../../shared/media-kind.js';
import { compareCodePoints } from '../../../engines/media/sorting.js';
import { sql } from '../../../engines/sql/sql.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { JobCreation, type SegmentWithJob } from '../../jobs/index.js';
import { TaskService } from '../../tasks/index.js';
import { ImageWorker } from '../../../core/images/image-worker.js';
import { MediaDataRepository, type NewFrame, type RestoredData } from '../media-data.repository.js';
import { MediaFolders } from '../media-files.js';
import { VideoStore } from '../reading/video-store.js';
import { type ImportedImage, type PreparationOptions, writeImported } from './imported-images.js';

const MANIFEST = 'manifest.jsonl';

/** Media from an archive for a task to be created. */
export interface MediaToRestore {
  /** Named by their paths in the data. Includes the manifest, if there is one. */
  readonly files: readonly ImportedImage[];
  /** Number of the task's frames. */
  readonly size: number;
  readonly startFrame: number;
  readonly stopFrame: number;
  readonly frameFilter: string;
  /** Type of a video's compressed chunks. */
  readonly chunkType: string;
}

/** Stored media that do not belong to a task yet. */
export interface RestoredMedia {
  readonly dataId: number;
  readonly mode: 'annotation' | 'interpolation';
  readonly dimension: '2d' | '3d';
  readonly selection: FrameSelection;
  readonly frameFilter: string;
  readonly compressedType: 'imageset' | 'video';
  /** One per frame; for a video, only the video itself. */
  readonly images: readonly Omit<NewFrame, 'frame' | 'realFrame'>[];
}

/** The rest of a restored task. */
export interface RestoredTask {
  readonly media: RestoredMedia;
  readonly data: Pick<
    RestoredData,
    'chunkSize' | 'imageQuality' | 'storageMethod' | 'sortingMethod' | 'deletedFrames' | 'validation'
  >;
  /** Task-relative: maps each honeypot to the pool frame that it repeats. */
  readonly real: ReadonlyMap<number, number>;
  readonly segments: readonly SegmentWithJob[];
  readonly replicas: number;
  readonly segmentSize: number;
  readonly overlap: number;
}

/** Creates tasks from backups: first the files, then all rows in the restore's transaction. */
@Injectable()
export class MediaRestoration {
  constructor(
    private readonly data: MediaDataRepository,
    private readonly folders: MediaFolders,
    private readonly images: ImageWorker,
    private readonly videos: VideoStore,
    private readonly jobs: JobCreation,
    private readonly tasks: TaskService,
  ) {}

  /** Stores the files and checks each of them. @throws MediaError that names the file */
  async prepare(dataId: number, media: MediaToRestore, options: PreparationOptions): Promise<RestoredMedia> {
    await this.folders.begin(dataId);
    try {
      const restored = await this.store(dataId, media, options);
      await this.folders.publish(dataId);
      return restored;
    } finally {
      this.folders.end(dataId);
    }
  }

  private async store(dataId: number, media: MediaToRestore, options: PreparationOptions): Promise<RestoredMedia> {
    for (const file of media.files) {
      const location = file.name === MANIFEST ? this.folders.manifest(dataId) : this.folders.raw(dataId, file.name);
      await writeImported(file, location, options.signal);
    }
    const names = media.files.map(({ name }) => name).filter((name) => name !== MANIFEST);
    const [video, ...others] = names.filter((name) => mediaKind(name) === 'video');
    if (video === undefined) return this.restoredImages(dataId, media, names, options);
    if (others.length > 0) throw new MediaError(`ValueError: There is more than one video: ${quoted(others[0] ?? '')}`);
    return this.video(dataId, media, video, options);
  }

  /**
   * Assigns the media to a task without data, creates its jobs, and records the events.
   * @returns ids of the jobs in segment order, and of their replicas
   */
  async save(
    tx: Tx,
    actor: Actor,
    taskId: number,
    task: RestoredTask,
  ): Promise<{ readonly id: number; readonly replicas: readonly number[] }[]> {
    const { media, data, real, segments, replicas, segmentSize, overlap } = task;
    const { dataId, selection, mode, dimension } = media;
    await this.data.requireSameDimension(tx, taskId, dimension);
    const [first = { width: 1, height: 1 }] = media.images;
    await this.data.insertRestored(tx, dataId, {
      ...data,
      chunkSize: data.chunkSize ?? defaultChunkSize(media.compressedType, first),
      size: selection.size,
      startFrame: selection.start,
      stopFrame: selection.stop,
      frameFilter: media.frameFilter,
      compressedType: media.compressedType,
      originalType: mode === 'interpolation' ? 'video' : 'imageset',
    });
    const frames = media.images.map((image, index) => {
      const repeated = real.get(index);
      return {
        ...image,
        frame: mode === 'interpolation' ? 0 : absoluteFrame(selection, index),
        realFrame: repeated === undefined ? null : absoluteFrame(selection, repeated),
      };
    });
    await this.data.insertFrames(tx, dataId, frames);
    await this.tasks.change(tx, actor, taskId, () => Promise.resolve([sql`data_id = ${dataId}`]));
    const ids = await this.jobs.createForTask(tx, actor, taskId, segments, replicas);
    await this.tasks.change(tx, actor, taskId, () =>
      Promise.resolve([
        sql`mode = ${mode}`,
        sql`dimension = ${dimension}`,
        sql`segment_size = ${segmentSize}`,
        sql`overlap = ${overlap}`,
      ]),
    );
    let at = 0;
    return segments.map(({ jobType }) => {
      const count = jobType === 'annotation' ? 1 + replicas : 1;
      const [id = 0, ...copies] = ids.slice(at, at + count);
      at += count;
      return { id, replicas: copies };
    });
  }

  private async video(
    dataId: number,
    media: MediaToRestore,
    name: string,
    options: PreparationOptions,
  ): Promise<RestoredMedia> {
    const index = await this.videos.index({ dataId, name, file: this.folders.raw(dataId, name) }, options);
    await writeVideoManifest(this.folders.manifest(dataId), { name, index });
    const selection = selectVideoFrames({ ...numbersOf(media), count: index.pts.length, name: quoted(name) });
    requireSize(selection.size, media.size);
    return {
      dataId,
      mode: 'interpolation',
      dimension: '2d',
      selection,
      frameFilter: media.frameFilter,
      compressedType: media.chunkType === 'imageset' ? 'imageset' : 'video',
      images: [{ path: name, width: index.width, height: index.height, related: [] }],
    };
  }

  private async restoredImages(
    dataId: number,
    media: MediaToRestore,
    names: readonly string[],
    options: PreparationOptions,
  ): Promise<RestoredMedia> {
    const hasManifest = media.files.some(({ name }) => name === MANIFEST);
    const listed = hasManifest ? await this.listed(dataId, names) : foundImages(names);
    // Archives of other servers list images that the task does not use.
    const isChosen = listed.length === media.size;
    const selection = isChosen
      ? { start: 0, step: 1, size: listed.length, stop: listed.length - 1 }
      : selectImageFrames({ ...numbersOf(media), count: listed.length });
    requireSize(selection.size, media.size);
    const chosen = Array.from({ length: selection.size }, (_, index) => listed[absoluteFrame(selection, index)]);
    const paths = [...new Set(chosen.map((image) => image?.path ?? ''))];
    const locate = (path: string): string => this.folders.raw(dataId, path);
    const found = await this.images.probe(paths, locate, { ...options, whole: true });
    const sizes = new Map(paths.map((path, at) => [path, found[at]]));
    const images = chosen.map((image) => {
      const path = image?.path ?? '';
      const { width, height } = sizes.get(path) ?? { width: 0, height: 0 };
      return { path, related: image?.related ?? [], width, height };
    });
    await writeImageManifest(this.folders.manifest(dataId), images);
    return {
      dataId,
      mode: 'annotation',
      dimension: images.some(({ path }) => isPointCloud(path)) ? '3d' : '2d',
      selection,
      frameFilter: isChosen ? '' : media.frameFilter,
      compressedType: 'imageset',
      images,
    };
  }

  /** Reads the images of the manifest. @throws MediaError for a missing image */
  private async listed(dataId: number, names: readonly string[]): Promise<ManifestImage[]> {
    const there = new Set(names);
    const images: ManifestImage[] = [];
    for await (const image of readImageManifest(this.folders.manifest(dataId), MANIFEST)) {
      const missing = [image.path, ...(image.related ?? [])].find((path) => !there.has(path));
      if (missing !== undefined) throw new MediaError(`FileNotFoundError: ${quoted(missing)} is not in the backup`);
      images.push(image);
    }
    return images;
  }
}

function numbersOf({ startFrame, stopFrame, frameFilter }: MediaToRestore): {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
} {
  const step = parseFrameStep(frameFilter);
  if (step === null) throw new MediaError(`ValueError: ${quoted(frameFilter)} is not a frame filter`);
  return { start: startFrame, stop: stopFrame, step };
}

function requireSize(found: number, wanted: number): void {
  if (found === wanted) return;
  throw new MediaError(`ValueError: The jobs of the backup have ${wanted} frames, its media ${found}`);
}

/** Without a manifest, the names determine the order. */
function foundImages(names: readonly string[]): ManifestImage[] {
  const images = names.filter((name) => mediaKind(name) === 'image').toSorted(compareCodePoints);
  const { frames, related } = splitContextImages(images);
  return frames.map((path) => ({ path, related: related.get(path) ?? [] }));
}
