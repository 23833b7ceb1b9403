import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Db } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { requireNoMoreThan, intItem, ListField } from '../../../core/http/body/composite-fields.js';
import { InvalidList, InvalidString } from '../../../core/http/errors/errors.js';
import { absoluteFrame } from '../../../engines/media/frames.js';
import { deletedWith } from '../../../engines/media/validation-frames.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { TaskService } from '../../tasks/index.js';
import { Clock } from '../../../core/clock.js';
import { FRACTION } from '../../../core/http/body/fields.js';
import { creationId } from '../upload/task-data.service.js';
import { RequestRepository } from '../../requests/index.js';
import { isVideo } from './chunk-keys.js';
import { MediaReader, type MediaTarget } from './media-reader.js';
import {
  type FrameMeta,
  type MediaSegment,
  type MediaSource,
  MediaSourceRepository,
} from './media-source.repository.js';
import { VideoStore } from './video-store.js';

class FrameMetaDto {
  @ApiProperty() width!: number;
  @ApiProperty() height!: number;
  @ApiProperty({ description: 'Path of the file' }) name!: string;
  @ApiProperty({ description: 'Number of context images' }) related_files!: number;
  @ApiProperty() has_related_context!: boolean;
}

export class MediaMetaDto {
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) chunks_updated_date!: string | null;
  @ApiProperty({ type: Number, nullable: true }) chunk_size!: number | null;
  @ApiProperty({ description: 'Number of frames, including deleted ones' }) size!: number;
  @ApiProperty() image_quality!: number;
  @ApiProperty({ description: 'Number of the first frame in the source' }) start_frame!: number;
  @ApiProperty({ description: 'Number of the last frame in the source' }) stop_frame!: number;
  @ApiProperty() frame_filter!: string;
  @ApiProperty({ type: FrameMetaDto, isArray: true }) frames!: FrameMetaDto[];
  @ApiProperty({ type: Number, isArray: true, description: 'Frame numbers in the task' }) deleted_frames!: number[];
  @ApiProperty({
    type: Number,
    isArray: true,
    nullable: true,
    description: 'Frame numbers in the source. Only for jobs of selected frames.',
  })
  included_frames!: number[] | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Frames per second of the source. Null for images, and if it is not known.',
  })
  frame_rate!: number | null;
}

export class UpdateMediaMetaDto {
  @ListField(intItem({ min: 0 }), { maxItems: 10_000_000, description: 'Replaces the list. Frame numbers in the task' })
  deleted_frames!: number[];
}

/** Metadata of the frames of tasks and jobs, including which are deleted. */
@Injectable()
export class MediaMetaService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly reader: MediaReader,
    private readonly sources: MediaSourceRepository,
    private readonly tasks: TaskService,
    private readonly videos: VideoStore,
  ) {}

  async get(actor: Actor, target: MediaTarget): Promise<MediaMetaDto> {
    const source = withData(await this.reader.source(actor, target, 'view:metadata'));
    return target.kind === 'task' ? this.taskMeta(source) : this.jobMeta(source);
  }

  update(actor: Actor, { kind, id }: MediaTarget, body: Unvalidated<UpdateMediaMetaDto>): Promise<MediaMetaDto> {
    return kind === 'task' ? this.updateTask(actor, id, body) : this.updateJob(actor, id, body);
  }

  /** Replaces the deleted frames. The contract defines no event for this; task and jobs get a new update date. */
  private async updateTask(actor: Actor, id: number, body: Unvalidated<UpdateMediaMetaDto>): Promise<MediaMetaDto> {
    const source = withData(await this.reader.source(actor, { kind: 'task', id }, 'update:metadata'));
    requireNoMoreThan(source.size, body, 'deleted_frames');
    const { deleted_frames: frames } = body.validate();
    if (new Set(frames).size !== frames.length) throw new InvalidList('Deleted frames cannot repeat');
    const unknown = frames.filter((frame) => frame >= source.size);
    if (unknown.length > 0) throw new InvalidList(`Unknown frames ${unknown.join(', ')} requested for removal`);
    const deletedFrames = await this.work.run(async (tx) => {
      await this.tasks.touchWithJobs(tx, id);
      await this.sources.lock(tx, source.dataId);
      const deleted = await this.exceptPool(tx, source.dataId, ascending(frames));
      await this.sources.setDeletedFrames(tx, source.dataId, deleted);
      return deleted;
    });
    return this.taskMeta({ ...source, deletedFrames });
  }

  /** Replaces the deleted frames of the job's range; for a ground truth job, the frames excluded from validation. */
  private async updateJob(actor: Actor, id: number, body: Unvalidated<UpdateMediaMetaDto>): Promise<MediaMetaDto> {
    const source = withData(await this.reader.source(actor, { kind: 'job', id }, 'update:metadata'));
    const { segment, dataId } = source;
    if (segment === null) throw new Error('a job has a segment');
    requireNoMoreThan(source.size, body, 'deleted_frames');
    const frames = ascending(new Set(body.validate().deleted_frames));
    const isOwn = ownFrames(segment);
    const foreign = frames.filter((frame) => !isOwn(frame));
    if (foreign.length > 0) throw new InvalidList(`Frames ${foreign.join(', ')} do not belong to the job`);
    await this.work.run(async (tx) => {
      await this.tasks.touch(tx, actor, source.taskId, { touchProject: true });
      await this.tasks.touchWithJobs(tx, source.taskId);
      const deleted = await this.sources.lock(tx, dataId);
      if (segment.jobType === 'ground_truth') return this.sources.setDisabledFrames(tx, dataId, frames);
      const others = deleted.filter((frame) => !isOwn(frame));
      return this.sources.setDeletedFrames(tx, dataId, ascending([...others, ...frames]));
    });
    return this.get(actor, { kind: 'job', id });
  }

  /**
   * Adds the disabled frames of the pool, which stay deleted regardless of the request.
   * @throws InvalidList for other frames of the pool
   */
  private async exceptPool(tx: Tx, dataId: number, asked: readonly number[]): Promise<readonly number[]> {
    const validation = await this.sources.validation(tx, dataId);
    if (validation?.mode !== 'gt_pool') return asked;
    const { disabledFrames: disabled } = validation;
    const [pool, leftOut] = [new Set(validation.frames), new Set(disabled)];
    if (asked.some((frame) => pool.has(frame) && !leftOut.has(frame))) {
      throw new InvalidList(
        "When task validation mode is gt_pool, GT frames can only be deleted and restored via the GT job's api/jobs/{id}/data/meta endpoint",
      );
    }
    return deletedWith(asked, await this.sources.honeypots(tx, dataId), { before: disabled, after: disabled });
  }

  private async taskMeta(source: MediaSource): Promise<MediaMetaDto> {
    const frames = source.size === 0 ? [] : await this.framesOf(source, 0, source.size - 1, null);
    return {
      chunks_updated_date: source.chunksDate,
      chunk_size: source.chunkSize,
      size: source.size,
      image_quality: source.imageQuality,
      start_frame: source.start,
      stop_frame: source.stopFrame,
      frame_filter: source.frameFilter,
      frames,
      deleted_frames: [...source.deletedFrames],
      included_frames: null,
      frame_rate: await this.frameRate(source),
    };
  }

  private async jobMeta(source: MediaSource): Promise<MediaMetaDto> {
    const { segment } = source;
    if (segment === null) throw new Error('a job has a segment');
    const { start, stop, included } = segment;
    const own = included === null ? null : [...new Set(included.map((frame) => absoluteFrame(source, frame)))];
    const deleted = source.deletedFrames.filter(ownFrames(segment));
    return {
      chunks_updated_date: source.chunksDate,
      chunk_size: source.chunkSize,
      size: included?.length ?? stop - start + 1,
      image_quality: source.imageQuality,
      start_frame: absoluteFrame(source, start),
      stop_frame: absoluteFrame(source, stop),
      frame_filter: source.frameFilter,
      frames: await this.framesOf(source, start, stop, own),
      deleted_frames: ascending(new Set([...deleted, ...segment.disabledFrames])),
      included_frames: own,
      frame_rate: await this.frameRate(source),
    };
  }

  private async frameRate(source: MediaSource): Promise<number | null> {
    return isVideo(source) ? this.videos.frameRate(source.dataId) : null;
  }

  /** For a video or audio, returns its only frame. @param own absolute numbers of the frames that belong to the job; null: all */
  private framesOf(source: MediaSource, from: number, to: number, own: readonly number[] | null): Promise<FrameMeta[]> {
    const { dataId } = source;
    if (isVideo(source) || source.isAudio) return this.sources.frameMetas(this.db, dataId, 0, 0, null);
    const [first, last] = [absoluteFrame(source, from), absoluteFrame(source, to)];
    return this.sources.frameMetas(this.db, dataId, first, last, own);
  }
}

function withData(source: MediaSource | null): MediaSource {
  if (source === null) throw new InvalidString('The task has no data yet');
  return source;
}

/** @returns whether a frame belongs to the segment */
function ownFrames({ start, stop, included }: MediaSegment): (frame: number) => boolean {
  if (included === null) return (frame) => frame >= start && frame <= stop;
  const own = new Set(included);
  return (frame) => own.has(frame);
}

const ascending = (frames: Iterable<number>): number[] => [...frames].toSorted((a, b) => a - b);

export class CreationStatusDto {
  @ApiProperty({ enum: ['Queued', 'Started', 'Finished', 'Failed'] }) state!: string;
  @ApiProperty() message!: string;
  @ApiProperty(FRACTION) progress!: number;
}

const STATES: Readonly<Record<string, string>> = { queued: 'Queued', started: 'Started', failed: 'Failed' };

/** Reports the progress of a task's creation in the form that old clients expect. */
@Injectable()
export class CreationStatusService {
  constructor(
    private readonly db: Db,
    private readonly tasks: TaskService,
    private readonly requests: RequestRepository,
    private readonly clock: Clock,
  ) {}

  /** An unknown or expired request counts as finished. */
  async get(actor: Actor, taskId: number): Promise<CreationStatusDto> {
    await this.tasks.require(this.db, actor, taskId, 'view');
    const request = await this.requests.find(this.db, creationId(taskId), this.clock.now());
    const state = STATES[request?.status ?? ''];
    if (request === undefined || state === undefined) return { state: 'Finished', message: '', progress: 0 };
    return { state, message: request.message, progress: request.status === 'started' ? request.progress : 0 };
  }
}
