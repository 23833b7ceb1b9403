import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { mapBounded } from '../../../engines/concurrency/concurrency.js';
import { splitContextImages } from '../../../engines/media/context-images.js';
import { inPages, withPages } from '../../../engines/media/document-pages.js';
import type { FrameSize } from '../../../engines/media/image-job.js';
import { writeImageManifest, requireVideoManifest, writeVideoManifest } from '../../../engines/media/manifest.js';
import { MediaError, quoted, validationFailure } from '../../../engines/media/media-error.js';
import type { MediaSelection } from '../../../engines/media/media-selection.js';
import { mersenneTwister } from '../../../engines/media/random.js';
import { predefinedOrder } from '../../../engines/media/sorting.js';
import { isPointCloud } from '../../../shared/media-kind.js';
import type { RequestContext } from '../../requests/index.js';
import type { TaskRow } from '../../tasks/index.js';
import { ImageWorker } from '../../../core/images/image-worker.js';
import type { MediaDataRow } from '../media-data.repository.js';
import { MediaFolders } from '../media-files.js';
import { SORTING_METHODS } from '../upload/data-parameters.js';
import type { CreationParameters } from '../upload/task-data.service.js';
import { type PreparedTask, planFrames, seedOf, withValidation } from './media-plan.js';
import type { PreparationOptions } from './imported-images.js';
import { fetchSources, fileOf, onDisk, type SourceFile, type Sources } from './source-files.js';
import { parseFrameStep, selectVideoFrames } from '../../../engines/media/frames.js';
import { planSegments } from '../../../engines/media/segments.js';
import { VideoAhead } from '../reading/video-ahead.js';
import { VideoStore } from '../reading/video-store.js';

const PROBES_AT_A_TIME = 16;
/** Shared empty list, since most frames have no context images. */
const NONE: readonly string[] = [];

/** Prepares a task of images or point clouds. */
@Injectable()
export class ImagePreparation {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly folders: MediaFolders,
    private readonly images: ImageWorker,
  ) {}

  /** @throws MediaError that names the file */
  async prepare(
    request: RequestContext,
    task: TaskRow,
    data: MediaDataRow,
    { selection, sources }: { readonly selection: MediaSelection; readonly sources: Sources },
  ): Promise<PreparedTask> {
    const parameters = request.parameters as CreationParameters;
    const { files, related, order, mapping, storage } = await this.collect(request, data, { selection, sources });
    const seed = seedOf(parameters);
    const sorted = planFrames(
      {
        files,
        sorting: SORTING_METHODS.find((method) => method === data.sorting_method) ?? 'lexicographical',
        order,
        mapping,
        startFrame: data.start_frame,
        stopFrame: data.stop_frame,
        frameFilter: data.frame_filter,
        segmentSize: task.segment_size,
        overlap: task.overlap,
      },
      mersenneTwister(seed),
    );
    const dimension = sorted.frames.some(isPointCloud) ? '3d' : '2d';
    const checked = { mode: 'annotation', dimension, sorting: data.sorting_method } as const;
    const plan = withValidation(sorted, checked, parameters, seed);
    request.setMessage('Preparing a manifest file');
    const paths = [...new Set(plan.frames)];
    const found = await this.probe(request, paths, { sources, storage, dataId: data.id });
    const sizes = new Map(paths.map((path, at) => [path, found[at]]));
    const images = plan.frames.map((path) => {
      const { width, height } = sizes.get(path) ?? { width: 0, height: 0 };
      return { path, width, height, related: related.get(path) ?? NONE };
    });
    await writeImageManifest(this.folders.manifest(data.id), images);
    request.setMessage('A manifest has been created');
    return {
      dataId: data.id,
      storage,
      chunkSize: data.chunk_size,
      mode: 'annotation',
      dimension,
      compressedType: 'imageset',
      originalType: 'imageset',
      plan,
      images,
    };
  }

  private async collect(
    request: RequestContext,
    data: MediaDataRow,
    { selection, sources }: { readonly selection: MediaSelection; readonly sources: Sources },
  ): Promise<{
    files: readonly string[];
    related: ReadonlyMap<string, readonly string[]>;
    order: readonly string[] | null;
    mapping: readonly (readonly string[])[] | null;
    storage: Sources['storage'];
  }> {
    const parameters = request.parameters as CreationParameters;
    const {
      upload_file_order: requested,
      job_file_mapping: mapping,
      cloud_storage_id: cloudStorageId = null,
    } = parameters;
    const { paths, storage, pages } = await fetchSources(selection, sources, {
      folders: this.folders,
      dataId: data.id,
      archive: { maxEntries: this.config.limits.archiveEntries, maxBytes: this.config.limits.archiveBytes },
      images: this.images,
      signal: request.signal,
      onProgress: (done) => request.setProgress(0.4 + done * 0.2),
    });
    const { frames, related: context } = splitContextImages(paths);
    if (frames.length === 0) throw new MediaError('Exception: No image found');
    const archive = selection.kind === 'zip' || selection.kind === 'archive';
    // Files of a cloud storage are in the order of the request, and in that of the manifest only within a folder.
    const manifest = cloudStorageId === null || archive ? selection.manifest : null;
    const order =
      data.sorting_method !== 'predefined'
        ? null
        : await predefinedOrder(frames, {
            requested,
            manifest: manifest === null ? null : { name: manifest, path: await onDisk(sources, manifest) },
            archive,
          });
    const { frames: files, related } = withPages({ frames, related: context }, pages);
    return {
      files,
      related,
      order: order === null ? null : inPages(order, pages),
      mapping: mapping === null ? null : mapping.map((names) => inPages(names, pages)),
      storage,
    };
  }

  /** Checks files copied to this server completely, and only the header of files that stay where they are. */
  private async probe(
    request: RequestContext,
    paths: readonly string[],
    { sources, storage, dataId }: Pick<PreparedTask, 'dataId' | 'storage'> & { readonly sources: Sources },
  ): Promise<FrameSize[]> {
    const { signal } = request;
    const onProgress = (done: number): void => request.setProgress(0.6 + 0.35 * done);
    if (storage === 'cloud_storage') {
      const files = paths.map((name) => fileOf(sources, name));
      return this.probeRemote(files, { signal, onProgress });
    }
    const isLocal = storage === 'local';
    const locate = (name: string) => (isLocal ? this.folders.raw(dataId, name) : onDisk(sources, name));
    return this.images.probe(paths, locate, { whole: isLocal, signal, onProgress });
  }

  private probeRemote(files: readonly SourceFile[], { signal, onProgress }: PreparationOptions): Promise<FrameSize[]> {
    let done = 0;
    return mapBounded(files, PROBES_AT_A_TIME, async (file) => {
      signal.throwIfAborted();
      if (file.info === undefined) throw new Error(`${file.name} has no header to be read from afar`);
      const size = await file.info(this.images.limits);
      onProgress(++done / files.length);
      return size;
    });
  }
}

/** Prepares a task that consists of one video. */
@Injectable()
export class VideoPreparation {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly folders: MediaFolders,
    private readonly images: ImageWorker,
    private readonly videos: VideoStore,
    private readonly ahead: VideoAhead,
  ) {}

  /** Call after the task is saved. */
  readAhead(taskId: number): void {
    this.ahead.begin(taskId);
  }

  /** @throws MediaError that names the video */
  async prepare(
    request: RequestContext,
    task: TaskRow,
    data: MediaDataRow,
    { selection, sources }: { readonly selection: MediaSelection; readonly sources: Sources },
  ): Promise<PreparedTask> {
    const parameters = request.parameters as CreationParameters;
    if (parameters.job_file_mapping !== null) throw validationFailure('job_file_mapping can only be used with images');
    const [name = ''] = selection.files;
    const { storage } = await fetchSources(selection, sources, {
      folders: this.folders,
      dataId: data.id,
      archive: { maxEntries: this.config.limits.archiveEntries, maxBytes: this.config.limits.archiveBytes },
      images: this.images,
      signal: request.signal,
      onProgress: (done) => request.setProgress(done * 0.1),
    });
    request.setMessage('Preparing a manifest file');
    const file = storage === 'local' ? this.folders.raw(data.id, name) : await onDisk(sources, name);
    const index = await this.videos.index(
      { dataId: data.id, name, file },
      {
        signal: request.signal,
        onProgress: (done) => request.setProgress(0.1 + 0.85 * done),
      },
    );
    if (selection.manifest !== null) {
      await requireVideoManifest(await onDisk(sources, selection.manifest), selection.manifest, { name, index });
    }
    await writeVideoManifest(this.folders.manifest(data.id), { name, index });
    await this.folders.removeIncoming(data.id);
    request.setMessage('A manifest has been created');
    const chosen = selectVideoFrames({
      count: index.pts.length,
      start: data.start_frame,
      stop: data.stop_frame,
      step: parseFrameStep(data.frame_filter) ?? 1,
      name: quoted(name),
    });
    const { segment_size: segmentSize, overlap } = task;
    const segments = planSegments({ size: chosen.size, segmentSize, overlap, mode: 'interpolation' });
    const checked = { mode: 'interpolation', dimension: '2d', sorting: data.sorting_method } as const;
    return {
      dataId: data.id,
      storage,
      chunkSize: data.chunk_size,
      mode: 'interpolation',
      dimension: '2d',
      compressedType: parameters.use_zip_chunks === true ? 'imageset' : 'video',
      originalType: 'video',
      plan: withValidation({ frames: [], selection: chosen, ...segments }, checked, parameters, seedOf(parameters)),
      images: [{ path: name, width: index.width, height: index.height, related: [] }],
    };
  }
}
