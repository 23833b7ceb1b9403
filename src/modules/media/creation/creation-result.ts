import { Inject, Injectable } from '@nestjs/common';
import { Actors } from '../../../core/access/actors.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { defaultChunkSize } from '../../../engines/media/chunks.js';
import { absoluteFrame } from '../../../engines/media/frames.js';
import { MediaError, MediaStorageFull, storageError, validationFailure } from '../../../engines/media/media-error.js';
import { sql } from '../../../engines/sql/sql.js';
import { annotationSegments, groundTruthSegment, JobCreation } from '../../jobs/index.js';
import { isInterrupted, type RequestContext, RequestFailure } from '../../requests/index.js';
import { type TaskRow, TaskService } from '../../tasks/index.js';
import { MediaDataRepository, type NewFrame } from '../media-data.repository.js';
import { MediaFolders } from '../media-files.js';
import type { CreationParameters } from '../upload/task-data.service.js';
import { MediaUploadRepository } from '../upload/media-upload.repository.js';
import type { ChunkType } from '../reading/media-source.repository.js';
import type { FramePlan, CheckedPlan } from './media-plan.js';
import type { Sources } from './source-files.js';

/** Everything known about a task before it is saved. */
export interface PreparedTask {
  readonly dataId: number;
  /** Where the images are stored. */
  readonly storage: Sources['storage'];
  /** Null: derived from the size of the first frame. */
  readonly chunkSize: number | null;
  /** `interpolation` for a video. */
  readonly mode: 'annotation' | 'interpolation';
  readonly dimension: '2d' | '3d';
  readonly compressedType: ChunkType;
  readonly originalType: ChunkType;
  readonly plan: Omit<FramePlan, 'frames'> & Partial<Pick<CheckedPlan, 'validation' | 'real'>>;
  /** One per frame; for a video, only the video itself. */
  readonly images: readonly {
    readonly path: string;
    readonly width: number;
    readonly height: number;
    readonly related: readonly string[];
  }[];
}

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
    @Inject(LOGGER) private readonly log: Logger,
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
      const actor = await this.actors.load(tx, request.ownerId, request.baseUrl);
      const locked = await this.data.lockOfTask(tx, task.id);
      if (locked?.data_id !== dataId) throw this.gone();
      await this.requireSameDimension(tx, task, dimension);
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
      tx.afterCommit(() => this.tidy(this.folders.removeUploads(leftovers)));
    });
  }

  /**
   * Annotations of a project's tasks are exported together, so all of its tasks must have the same dimension, 2D or 3D.
   */
  private async requireSameDimension(tx: Tx, task: TaskRow, dimension: string): Promise<void> {
    const other = await this.data.dimensionOfOthers(tx, task.id);
    if (other === undefined || other === dimension) return;
    throw validationFailure(
      `Dimension (${dimension}) of the task must be the same as other tasks in project (${other})`,
    );
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
    if (request.signal.aborted) return request.signal.reason;
    // the task's files were deleted with it, so an error about missing files is irrelevant
    if (isGone) return this.gone();
    const known = storageError(error);
    if (known instanceof MediaStorageFull || known instanceof MediaError)
      return new RequestFailure(known.message, { cause: error });
    return error;
  }

  private tidy(removal: Promise<void>): void {
    removal.catch((error: unknown) => this.log.warn({ err: error }, 'cannot remove uploaded files'));
  }
}

/** Generates the rows of a task's frames one at a time, since a task may have a million. */
function* framesOf({ images, mode, plan: { selection, real = [] } }: PreparedTask): Generator<NewFrame> {
  for (const [index, image] of images.entries()) {
    const frame = mode === 'interpolation' ? 0 : absoluteFrame(selection, index);
    yield { ...image, frame, realFrame: real[index] ?? null };
  }
}
