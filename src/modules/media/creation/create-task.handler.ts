import { randomInt } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Db } from '../../../core/database/db.js';
import { mapBounded } from '../../../engines/media/concurrency.js';
import { splitContextImages } from '../../../engines/media/context-images.js';
import { inPages, withPages } from '../../../engines/media/document-pages.js';
import { isPointCloud, type MediaSelection, selectMedia } from '../../../engines/media/media-kind.js';
import type { ImageLimits } from '../../../engines/media/image-source.js';
import type { FrameSize } from '../../../engines/media/image-job.js';
import { writeImageManifest } from '../../../engines/media/manifest.js';
import { MediaError } from '../../../engines/media/media-error.js';
import { mersenneTwister } from '../../../engines/media/random.js';
import { type RequestContext, type RequestHandler, RequestHandlers } from '../../requests/index.js';
import { TaskRepository, type TaskRow } from '../../tasks/index.js';
import { ImageWorker } from '../image-worker.js';
import { MediaDataRepository, type MediaDataRow } from '../media-data.repository.js';
import { MediaFolders } from '../media-folders.js';
import { SORTING_METHODS } from '../upload/data-parameters.dto.js';
import { CREATE_TASK, type CreationParameters } from '../upload/task-data.service.js';
import { CreationResult, type PreparedTask } from './creation-result.js';
import { CreationSources } from './creation-sources.js';
import { planFrames } from './media-plan.js';
import { predefinedOrder } from './predefined-order.js';
import { VideoPreparation } from './video-preparation.js';
import { bringSources, fileOf, onDisk, type Sources } from './source-files.js';
import { withValidation } from './validation-plan.js';

/** Images of one job for the image process. */
const PROBED_TOGETHER = 32;
const GROUPS_AT_A_TIME = 2;
const PROBES_AT_A_TIME = 8;

/** Makes a task of the files that were sent: the background work `create:task`. */
@Injectable()
export class CreateTaskHandler implements RequestHandler, OnModuleInit {
  readonly successTtlMs = 500_000;
  readonly failureTtlMs = 365 * 86_400_000;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(Db) private readonly db: Db,
    @Inject(TaskRepository) private readonly tasks: TaskRepository,
    @Inject(MediaDataRepository) private readonly data: MediaDataRepository,
    @Inject(CreationSources) private readonly sources: CreationSources,
    @Inject(MediaFolders) private readonly folders: MediaFolders,
    @Inject(ImageWorker) private readonly images: ImageWorker,
    @Inject(VideoPreparation) private readonly videos: VideoPreparation,
    @Inject(CreationResult) private readonly result: CreationResult,
    @Inject(RequestHandlers) private readonly handlers: RequestHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(CREATE_TASK, this);
  }

  async run(request: RequestContext): Promise<void> {
    const task = await this.tasks.find(this.db, request.taskId ?? 0);
    const data = task?.data_id == null ? undefined : await this.data.find(this.db, task.data_id);
    if (task === undefined || data === undefined) throw this.result.gone();
    try {
      const prepared = await this.prepare(request, task, data);
      await this.folders.removeIncoming(data.id);
      request.say('Task is being saved in database');
      await this.result.save(request, task, prepared);
      if (prepared.mode === 'interpolation') this.videos.readAhead(task.id);
    } catch (error) {
      throw await this.result.undo(error, request, data.id);
    }
  }

  private async prepare(request: RequestContext, task: TaskRow, data: MediaDataRow): Promise<PreparedTask> {
    const parameters = request.parameters as CreationParameters;
    const sources = await this.sources.of(request, data.id);
    request.say('Media files are being extracted...');
    const selection = selectMedia([...sources.files.keys()]);
    if (selection.kind === 'video') return this.videos.prepare(request, task, data, { selection, sources });
    const { files, related, order, mapping, storage } = await this.collect(request, data, { selection, sources });
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
      mersenneTwister(randomInt(2 ** 32)),
    );
    const dimension = sorted.frames.some(isPointCloud) ? '3d' : '2d';
    const plan = withValidation(sorted, { mode: 'annotation', dimension, sorting: data.sorting_method }, parameters);
    request.say('Preparing a manifest file');
    const paths = [...new Set(plan.frames)];
    const sizes = await this.probeAll(request, paths, (names, limits) =>
      storage === 'local' ? this.probeBrought(data.id, names, limits) : this.probeHeaders(sources, names, limits),
    );
    const images = plan.frames.map((path) => {
      const { width, height } = sizes.get(path) ?? { width: 0, height: 0 };
      return { path, width, height, related: related.get(path) ?? [] };
    });
    await this.folders.makeData(data.id);
    await writeImageManifest(this.folders.manifest(data.id), images);
    request.say('A manifest has been created');
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
    const { paths, storage, pages } = await bringSources(selection, sources, {
      folders: this.folders,
      dataId: data.id,
      archive: { maxEntries: this.config.limits.archiveEntries, maxBytes: this.config.limits.archiveBytes },
      images: this.images,
      limits: { maxPixels: this.config.limits.imagePixels },
      signal: request.signal,
      onProgress: (done) => request.progress(0.4 + done * 0.2),
    });
    const split = splitContextImages(paths);
    const clouds = split.frames.filter(isPointCloud);
    // Images beside point clouds are no frames.
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

  private async probeAll(
    request: RequestContext,
    paths: readonly string[],
    probe: (names: readonly string[], limits: ImageLimits) => Promise<FrameSize[]>,
  ): Promise<Map<string, FrameSize>> {
    const limits = { maxPixels: this.config.limits.imagePixels };
    let done = 0;
    const groups = await mapBounded(inGroups(paths, PROBED_TOGETHER), GROUPS_AT_A_TIME, async (names) => {
      request.signal.throwIfAborted();
      const sizes = await probe(names, limits);
      done += names.length;
      request.progress(0.6 + (0.35 * done) / paths.length);
      return sizes.map((size, at): [string, FrameSize] => [names[at] ?? '', size]);
    });
    return new Map(groups.flat());
  }

  /** Of what was brought here all is looked at. */
  private probeBrought(dataId: number, names: readonly string[], limits: ImageLimits): Promise<FrameSize[]> {
    const images = names.map((name) => ({ name, file: this.folders.raw(dataId, name) }));
    return this.images.run({ kind: 'probe', images, whole: true, limits });
  }

  /** Of what stays where it is, the header. */
  private async probeHeaders(sources: Sources, names: readonly string[], limits: ImageLimits): Promise<FrameSize[]> {
    const files = names.map((name) => fileOf(sources, name));
    if (sources.storage === 'cloud_storage')
      return mapBounded(files, PROBES_AT_A_TIME, async (file) => {
        if (file.info === undefined) throw new Error(`${file.name} has no header to be read from afar`);
        return file.info(limits);
      });
    const images = await mapBounded(files, PROBES_AT_A_TIME, async (file) => ({
      name: file.name,
      file: await file.onDisk(),
    }));
    return this.images.run({ kind: 'probe', images, whole: false, limits });
  }
}

const inGroups = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
