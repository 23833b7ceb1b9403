import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { parseFrameStep, selectVideoFrames } from '../../../engines/media/frames.js';
import { requireVideoManifest, writeVideoManifest } from '../../../engines/media/manifest.js';
import { quoted, validationFailure } from '../../../engines/media/media-error.js';
import type { MediaSelection } from '../../../engines/media/media-selection.js';
import { planSegments } from '../../../engines/media/segments.js';
import type { PreparedTask } from './creation-result.js';
import { fetchSources, onDisk, type Sources } from './source-files.js';
import { seedOf, withValidation } from './media-plan.js';
import { ImageWorker } from '../image-worker.js';
import type { MediaDataRow } from '../media-data.repository.js';
import { MediaFolders } from '../media-files.js';
import { VideoAhead } from '../reading/video-ahead.js';
import { VideoStore } from '../reading/video-store.js';
import type { CreationParameters } from '../upload/task-data.service.js';
import type { RequestContext } from '../../requests/index.js';
import type { TaskRow } from '../../tasks/index.js';

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
    await this.folders.makeData(data.id);
    const index = await this.videos.index(
      { dataId: data.id, storage, cloudStorageId: null, path: name },
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
