import { Injectable } from '@nestjs/common';
import { Actors } from '../../../core/access/actors.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { defaultChunkSize } from '../../../engines/media/chunks.js';
import { absoluteFrame } from '../../../engines/media/frames.js';
import { MediaError, MediaStorageFull, storageError } from '../../../engines/media/media-error.js';
import { sql } from '../../../engines/sql/sql.js';
import { annotationSegments, groundTruthSegment, JobCreation } from '../../jobs/index.js';
import {
  isInterrupted,
  type RequestContext,
  RequestFailure,
  HandlesRequests,
  type RequestHandler,
  toRequestFailure,
} from '../../requests/index.js';
import { type TaskRow, TaskService, TaskRepository } from '../../tasks/index.js';
import { MediaDataRepository, type NewFrame, type MediaDataRow } from '../media-data.repository.js';
import { MediaFolders } from '../media-files.js';
import { type CreationParameters, CREATE_TASK } from '../upload/task-data.service.js';
import { MediaUploadRepository } from '../upload/media-upload.repository.js';
import type { PreparedTask } from './media-plan.js';
import { Db } from '../../../core/database/db.js';
import { selectMedia } from '../../../engines/media/media-selection.js';
import { CreationSources } from './creation-sources.js';
import { ImagePreparation, VideoPreparation } from './media-preparation.js';

/** Completes the creation of a task: saves everything in one transaction, or removes everything. */
@Injectable()
export class CreationResult {
  constructor(
    private readonly work: UnitOfWork,
    private readonly actors: Actors,
    private readonly tasks: TaskService,
    private readonly jobs: JobCreation,
    private readonly data: MediaDataRepository,
    private readonly uploads: MediaUploadRepository,
    private readonly folders: MediaFolders,
  ) {}

  gone(): RequestFailure {
    return new RequestFailure('The task was deleted');
  }

  /** Saves frames, segments, jobs, the task's new fields, the end of the request and all their events. */
  async save(request: RequestContext, task: TaskRow, prepared: PreparedTask): Promise<void> {
    const { dataId, plan, images, chunkSize, storage, mode, dimension, compressedType, originalType } = prepared;
    const { selection, segmentSize, overlap, segments, validation } = plan;
    const first = images[0] ?? { width: 1, height: 1 };
    await this.work.run(async (tx) => {
      const actor = await this.actors.load(tx, request.ownerId, request.baseUrl, request.origin);
      const locked = await this.data.lockOfTask(tx, task.id);
      if (locked?.data_id !== dataId) throw this.gone();
      await this.data.requireSameDimension(tx, task.id, dimension);
      await this.data.insertFrames(tx, dataId, framesOf(prepared));
      const { cloud_storage_id: cloudStorageId = null } = request.parameters as CreationParameters;
      await this.data.complete(tx, dataId, {
        cloudStorageId: storage === 'cloud_storage' ? cloudStorageId : null,
        chunkSize: chunkSize ?? defaultChunkSize(compressedType, first),
        size: selection.size,
        stopFrame: selection.stop,
        storage,
        compressedType,
        originalType,
        ...(validation === undefined ? {} : { validation }),
      });
      const parts = annotationSegments(segments);
      if (validation !== undefined) parts.push(groundTruthSegment(validation, selection));
      await this.jobs.createForTask(tx, actor, task.id, parts, task.consensus_replicas);
      await this.tasks.change(tx, actor, task.id, () =>
        Promise.resolve([
          sql`mode = ${mode}`,
          sql`dimension = ${dimension}`,
          sql`segment_size = ${segmentSize}`,
          sql`overlap = ${overlap}`,
        ]),
      );
      await this.tasks.touch(tx, actor, task.id);
      const leftovers = await this.uploads.deleteOfData(tx, dataId);
      await request.finish(tx);
      this.folders.removeUploadsAfter(tx, leftovers);
    });
  }

  /**
   * Removes uploaded and created files, unless another attempt follows.
   * @returns the error that the request fails with
   */
  async undo(error: unknown, request: RequestContext, dataId: number): Promise<unknown> {
    if (isInterrupted(error, request)) return request.signal.reason ?? error;
    const { fileIds, isGone } = await this.work.run(async (tx) => {
      await request.hold(tx);
      const left = await this.data.find(tx, dataId);
      return { fileIds: await this.uploads.deleteOfData(tx, dataId), isGone: left === undefined };
    });
    await this.folders.removeUploads(fileIds);
    await this.folders.removeData(dataId);
    // the task's files were deleted with it, so an error about missing files is irrelevant
    const known = isGone ? this.gone() : storageError(error);
    return toRequestFailure(known, request, MediaStorageFull, MediaError);
  }
}

/** Generates the rows of a task's frames one at a time, since a task may have a million. */
function* framesOf({ images, mode, plan: { selection, real = [] } }: PreparedTask): Generator<NewFrame> {
  for (const [index, image] of images.entries()) {
    const frame = mode === 'interpolation' ? 0 : absoluteFrame(selection, index);
    yield { ...image, frame, realFrame: real[index] ?? null };
  }
}

/** Creates a task from its uploaded files: the background request `create:task`. */
@Injectable()
@HandlesRequests(CREATE_TASK)
export class CreateTaskHandler implements RequestHandler {
  readonly successTtlMs = 500_000;
  readonly failureTtlMs = 365 * 86_400_000;

  constructor(
    private readonly db: Db,
    private readonly tasks: TaskRepository,
    private readonly data: MediaDataRepository,
    private readonly folders: MediaFolders,
    private readonly sources: CreationSources,
    private readonly images: ImagePreparation,
    private readonly videos: VideoPreparation,
    private readonly result: CreationResult,
  ) {}

  async run(request: RequestContext): Promise<void> {
    const task = await this.tasks.find(this.db, request.taskId ?? 0);
    const data = task?.data_id == null ? undefined : await this.data.find(this.db, task.data_id);
    if (task === undefined || data === undefined) throw this.result.gone();
    try {
      request.signal.throwIfAborted();
      await this.folders.begin(data.id);
      const prepared = await this.prepare(request, task, data);
      await this.folders.publish(data.id);
      request.setMessage('Task is being saved in database');
      await this.result.save(request, task, prepared);
      if (prepared.mode === 'interpolation') this.videos.readAhead(task.id);
    } catch (error) {
      throw await this.result.undo(error, request, data.id);
    } finally {
      this.folders.end(data.id);
    }
  }

  private async prepare(request: RequestContext, task: TaskRow, data: MediaDataRow): Promise<PreparedTask> {
    const sources = await this.sources.of(request, data);
    request.setMessage('Media files are being extracted...');
    const selection = selectMedia([...sources.files.keys()]);
    const preparation = selection.kind === 'video' ? this.videos : this.images;
    return preparation.prepare(request, task, data, { selection, sources });
  }
}
