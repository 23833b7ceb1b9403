import { posix } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Db } from '../../../core/database/db.js';
import { mapBounded } from '../../../engines/concurrency/concurrency.js';
import { splitContextImages } from '../../../engines/media/context-images.js';
import { inPages, withPages } from '../../../engines/media/document-pages.js';
import type { FrameSize } from '../../../engines/media/image-job.js';
import { readImageManifest, writeImageManifest } from '../../../engines/media/manifest.js';
import { MediaError, quoted } from '../../../engines/media/media-error.js';
import { type MediaSelection, selectMedia } from '../../../engines/media/media-selection.js';
import { mersenneTwister } from '../../../engines/media/random.js';
import { ImageWorker } from '../image-worker.js';
import { MediaDataRepository, type MediaDataRow } from '../media-data.repository.js';
import { MediaFolders } from '../media-folders.js';
import { SORTING_METHODS } from '../upload/data-parameters.js';
import { CREATE_TASK, type CreationParameters } from '../upload/task-data.service.js';
import { HandlesRequests, type RequestContext, type RequestHandler } from '../../requests/index.js';
import { TaskRepository, type TaskRow } from '../../tasks/index.js';
import { isPointCloud } from '../../../shared/media-kind.js';
import { CreationResult, type PreparedTask } from './creation-result.js';
import { CreationSources } from './creation-sources.js';
import type { PreparationOptions } from './imported-images.js';
import { planFrames, seedOf, withValidation } from './media-plan.js';
import { fetchSources, fileOf, onDisk, type SourceFile, type Sources } from './source-files.js';
import { VideoPreparation } from './video-preparation.js';

const PROBES_AT_A_TIME = 16;
/** Shared empty list, since most frames have no context images. */
const NONE: readonly string[] = [];

/** Creates a task from its uploaded files: the background request `create:task`. */
@Injectable()
@HandlesRequests(CREATE_TASK)
export class CreateTaskHandler implements RequestHandler {
  readonly successTtlMs = 500_000;
  readonly failureTtlMs = 365 * 86_400_000;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly db: Db,
    private readonly tasks: TaskRepository,
    private readonly data: MediaDataRepository,
    private readonly sources: CreationSources,
    private readonly folders: MediaFolders,
    private readonly images: ImageWorker,
    private readonly videos: VideoPreparation,
    private readonly result: CreationResult,
  ) {}

  async run(request: RequestContext): Promise<void> {
    const task = await this.tasks.find(this.db, request.taskId ?? 0);
    const data = task?.data_id == null ? undefined : await this.data.find(this.db, task.data_id);
    if (task === undefined || data === undefined) throw this.result.gone();
    try {
      const prepared = await this.prepare(request, task, data);
      await this.folders.removeIncoming(data.id);
      request.setMessage('Task is being saved in database');
      await this.result.save(request, task, prepared);
      if (prepared.mode === 'interpolation') this.videos.readAhead(task.id);
    } catch (error) {
      throw await this.result.undo(error, request, data.id);
    }
  }

  private async prepare(request: RequestContext, task: TaskRow, data: MediaDataRow): Promise<PreparedTask> {
    const parameters = request.parameters as CreationParameters;
    const sources = await this.sources.of(request, data);
    request.setMessage('Media files are being extracted...');
    const selection = selectMedia([...sources.files.keys()]);
    if (selection.kind === 'video') return this.videos.prepare(request, task, data, { selection, sources });
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
    await this.folders.makeData(data.id);
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
    const { upload_file_order: requested, job_file_mapping: mapping } = request.parameters as CreationParameters;
    const { paths, storage, pages } = await fetchSources(selection, sources, {
      folders: this.folders,
      dataId: data.id,
      archive: { maxEntries: this.config.limits.archiveEntries, maxBytes: this.config.limits.archiveBytes },
      images: this.images,
      signal: request.signal,
      onProgress: (done) => request.setProgress(0.4 + done * 0.2),
    });
    const split = splitContextImages(paths);
    const clouds = split.frames.filter(isPointCloud);
    // Images next to point clouds are context images, not frames.
    const frames = clouds.length > 0 ? clouds : split.frames;
    if (frames.length === 0) throw new MediaError('Exception: No image found');
    const { manifest } = selection;
    const order =
      data.sorting_method !== 'predefined'
        ? null
        : await predefinedOrder(frames, {
            requested,
            manifest: manifest === null ? null : { name: manifest, path: await onDisk(sources, manifest) },
            archive: selection.kind === 'zip' || selection.kind === 'archive',
          });
    const { frames: files, related } = withPages({ frames, related: split.related }, pages);
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

/** A manifest that was uploaded with the media. */
export interface SentManifest {
  readonly path: string;
  /** The name that the client gave it. */
  readonly name: string;
}

const MISSING_MANIFEST =
  "FileNotFoundError: Can't find upload manifest file 'manifest.jsonl' in the uploaded files. " +
  'It is needed to read the order of the files in an archive.';

/**
 * Returns the order of files for predefined sorting: from the request, else from a manifest, else null for the upload
 * order. An archive has no upload order.
 * @throws MediaError for an archive without a manifest, and for a manifest that lists other files
 */
export async function predefinedOrder(
  files: readonly string[],
  source: { readonly requested: readonly string[]; readonly manifest: SentManifest | null; readonly archive: boolean },
): Promise<readonly string[] | null> {
  const known = new Set(files);
  if (!source.archive && source.requested.length > 0) return source.requested.filter((name) => known.has(name));
  if (source.manifest !== null) return manifestOrder(known, source.manifest);
  if (source.archive) throw new MediaError(MISSING_MANIFEST);
  return null;
}

async function manifestOrder(known: ReadonlySet<string>, { path, name }: SentManifest): Promise<string[]> {
  const order = new Set<string>();
  for await (const image of readImageManifest(path, name)) {
    const file = posix.join(posix.dirname(name), image.path);
    if (!known.has(file)) throw new MediaError(`FileNotFoundError: ${quoted(file)} of ${quoted(name)} was not sent`);
    if (order.has(file)) throw new MediaError(`InvalidManifestError: ${quoted(name)} names ${quoted(file)} twice`);
    order.add(file);
  }
  return [...order];
}
