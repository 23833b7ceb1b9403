import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { requireAll } from '../../../core/access/require.js';
import { Db } from '../../../core/database/db.js';
import { etagOf } from '../../../core/http/conditional/preconditions.js';
import { ApiError, InvalidList, InvalidString, NotFound, PlainError } from '../../../core/http/errors/errors.js';
import type { Query } from '../../../core/list/page-request.js';
import {
  chunkChecksum,
  type ChunkSlot,
  jobChunkByIndex,
  jobChunkByNumber,
  taskChunkFrames,
} from '../../../engines/media/chunks.js';
import { absoluteFrame } from '../../../engines/media/frames.js';
import { freeMemory } from '../../../engines/memory/memory.js';
import { chunkMimeType, isVideo, type Quality } from './chunk-keys.js';
import { ChunkStore } from './chunk-store.js';
import { FrameStore } from './frame-store.js';
import { awaitMedia, type MediaQuery, type MediaRedirect, type MediaResponse, readMediaQuery } from './media-http.js';
import {
  type FrameRow,
  type MediaSegment,
  type MediaSource,
  MediaSourceRepository,
} from './media-source.repository.js';
import { VideoAhead } from './video-ahead.js';
import { ProjectService } from '../../projects/index.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { jobPolicy, type JobScope } from '../../../shared/policy/job.policy.js';
import { taskPolicy, type TaskScope } from '../../../shared/policy/task.policy.js';

/** Number of remembered readers; the least recently active is forgotten first. */
const MAX_READERS = 1000;

/** Detects sequential readers. */
export class SequenceDetector {
  private readonly last = new Map<string, number>();

  /** @returns whether the reader continues with the next piece, or starts with the first */
  follows(reader: string, piece: number): boolean {
    const before = this.last.get(reader);
    this.last.delete(reader);
    this.last.set(reader, piece);
    if (this.last.size > MAX_READERS) this.last.delete(this.last.keys().next().value ?? '');
    return piece === 0 || before === piece - 1;
  }
}

const JPEG = 'image/jpeg';

/** What media belong to. */
export interface MediaTarget {
  readonly kind: 'task' | 'job';
  readonly id: number;
}

/** Chunks, frames and previews of tasks and jobs. */
@Injectable()
export class MediaReader {
  private readonly sequences = new SequenceDetector();
  private readonly redirects: boolean;

  constructor(
    @Inject(CONFIG) { media }: Config,
    private readonly db: Db,
    private readonly sources: MediaSourceRepository,
    private readonly chunks: ChunkStore,
    private readonly frames: FrameStore,
    private readonly ahead: VideoAhead,
    private readonly projects: ProjectService,
  ) {
    this.redirects = media.redirect;
  }

  /**
   * A chunk, frame, archive of context images, or preview.
   * @param mayRedirect whether the client can read chunks from a bucket
   */
  async read(
    actor: Actor,
    target: MediaTarget,
    query: Query,
    mayRedirect: boolean,
  ): Promise<MediaResponse | MediaRedirect> {
    const source = withFrames(await this.source(actor, target, 'view:data'));
    const wanted = readMediaQuery(query, target.kind);
    if (source.isAudio) throw audioProblem(wanted.type);
    switch (wanted.type) {
      case 'chunk':
        return this.chunk(source, wanted, mayRedirect && this.redirects);
      case 'frame':
        return this.frame(source, wanted);
      case 'context_image':
        return this.context(source, wanted.number ?? 0);
      case 'preview':
        return this.thumbnail(source);
    }
  }

  /** The original file of a frame; of a video, a PNG. */
  async original(actor: Actor, target: MediaTarget, number: number): Promise<MediaResponse> {
    const source = withFrames(await this.source(actor, target, 'view:data'));
    if (source.isAudio) throw audioProblem('frame');
    return this.frame(source, { type: 'frame', quality: 'original', number, index: null });
  }

  /** A thumbnail of the first frame. */
  async preview(actor: Actor, target: MediaTarget): Promise<MediaResponse> {
    const source = await this.source(actor, target, 'view');
    if (target.kind === 'task' && (source === null || source.size === 0))
      throw new PlainError(404, 'Task image preview not found');
    if (source?.isAudio === true) throw audioProblem('preview');
    return this.thumbnail(withFrames(source));
  }

  /** The preview of the newest task with frames. */
  async projectPreview(actor: Actor, id: number): Promise<MediaResponse> {
    await this.projects.require(this.db, actor, id, 'view');
    const taskId = await this.sources.newestTaskWithFrames(this.db, id);
    const found = taskId === undefined ? undefined : await this.sources.ofTask(this.db, taskId, actor.id);
    if (found?.source == null) throw new PlainError(404, 'Project image preview not found');
    return this.thumbnail(found.source);
  }

  /** @returns null for a task without data; @throws NotFound, Forbidden */
  async source(actor: Actor, { kind, id }: MediaTarget, scope: TaskScope & JobScope): Promise<MediaSource | null> {
    if (kind === 'task') {
      const task = await this.sources.ofTask(this.db, id, actor.id);
      if (task === undefined) throw NotFound.of('Task');
      requireAll(taskPolicy, [scope], actor, task.facts);
      return task.source;
    }
    const job = await this.sources.ofJob(this.db, id, actor.id);
    if (job === undefined) throw NotFound.of('Job');
    requireAll(jobPolicy, [scope], actor, job.facts);
    return job.source;
  }

  private async chunk(
    source: MediaSource,
    query: MediaQuery,
    redirects: boolean,
  ): Promise<MediaResponse | MediaRedirect> {
    const slots = explainingFailure(source, () => slotsOf(source, query, 0));
    const location = redirects ? await awaitMedia(this.chunks.link(source, slots, query.quality)) : undefined;
    if (location !== undefined) {
      this.readAhead(source, query);
      return { location, headers: { 'X-Updated-Date': source.chunksDate ?? '' } };
    }
    const body = await awaitMedia(this.chunks.chunk(source, slots, query.quality));
    this.readAhead(source, query);
    const headers = { 'X-Checksum': chunkChecksum(body), 'X-Updated-Date': source.chunksDate ?? '' };
    const type = chunkMimeType(source, query.quality);
    return { ...responseOf(source, type, body, query.quality), headers, onSent: () => this.chunks.release(body) };
  }

  /** Builds the next chunk, so that a client that reads sequentially waits less. */
  private readAhead(source: MediaSource, query: MediaQuery): void {
    const { segment, dataId } = source;
    const reader = `${dataId} ${segment?.start ?? 'task'} ${query.quality} ${query.index === null}`;
    if (!this.sequences.follows(reader, query.index ?? query.number ?? 0)) return;
    try {
      this.chunks.prepare(source, slotsOf(source, query, 1), query.quality);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error; // the client has requested the last chunk
    }
  }

  private async frame(source: MediaSource, query: MediaQuery): Promise<MediaResponse> {
    if (isVideo(source)) return this.videoFrame(source, query);
    const number = query.number ?? 0;
    if (!hasFrame(source, number)) throw new InvalidString(missingFrameMessage(source, number));
    const { type, body, release } = await awaitMedia(this.frames.frame(source, number, query.quality));
    return { ...responseOf(source, type, body, query.quality), ...(release && { onSent: release }) };
  }

  private async videoFrame(source: MediaSource, query: MediaQuery): Promise<MediaResponse> {
    const number = query.number ?? 0;
    if (!hasFrame(source, number)) throw new InvalidString(missingFrameMessage(source, number));
    this.ahead.near(source, number);
    const body = await awaitMedia(this.frames.videoFrame(source, number, query.quality));
    const type = query.quality === 'compressed' && source.compressedType === 'imageset' ? JPEG : 'image/png';
    return { ...responseOf(source, type, body, query.quality), onSent: () => freeMemory(body) };
  }

  /** The context images of a frame. */
  private async context(source: MediaSource, number: number): Promise<MediaResponse> {
    if (isVideo(source) && hasFrame(source, number)) throw new ApiError(404, undefined);
    const { related_files: paths } = await this.frameRow(source, number);
    if (paths.length === 0) throw new ApiError(404, undefined);
    return responseOf(source, 'application/zip', await awaitMedia(this.frames.context(source, paths)));
  }

  private async thumbnail(source: MediaSource): Promise<MediaResponse> {
    const first = source.segment?.included?.[0] ?? source.segment?.start ?? 0;
    return responseOf(source, JPEG, await awaitMedia(this.frames.preview(source, first)));
  }

  private async frameRow(source: MediaSource, number: number): Promise<FrameRow> {
    if (!hasFrame(source, number)) throw new InvalidString(missingFrameMessage(source, number));
    return this.sources.frame(this.db, source.dataId, absoluteFrame(source, number));
  }
}

/**
 * The tag is derived from the data id, its state, and the length and a sampled checksum of the bytes: hashing all of
 * them would take as long as sending them.
 */
function responseOf(
  source: MediaSource,
  type: string,
  body: Buffer,
  quality: Quality | 'small' = 'small',
): MediaResponse {
  const { dataId, chunksDate, imageQuality } = source;
  const tag = etagOf(JSON.stringify([dataId, chunksDate, imageQuality, quality, body.length, chunkChecksum(body)]));
  return { type, body, tag, isOriginal: quality === 'original' };
}

/** What the server responds instead of media of an audio task, which it stores but cannot play. */
function audioProblem(type: MediaQuery['type']): ApiError {
  switch (type) {
    case 'chunk':
      return new InvalidString('This server cannot play audio yet. A backup of the task contains the file');
    case 'frame':
      return new InvalidString('Frame requests are not available for this data');
    case 'context_image':
      return new InvalidString('Context image requests are not available for this data');
    case 'preview':
      return new PlainError(404, 'Audio has no preview');
  }
}

/** @throws InvalidString if the task has no frames yet */
function withFrames(source: MediaSource | null): MediaSource {
  if (source === null || source.size === 0) throw new InvalidString('The task has no data yet');
  return source;
}

/** Task frames of the requested chunk, or of the chunk `ahead` positions later. @throws ChunkOutOfRange */
function slotsOf(source: MediaSource, query: MediaQuery, ahead: number): readonly ChunkSlot[] {
  const { segment, size } = source;
  const chunkSize = source.chunkSize ?? 1;
  const number = (query.number ?? 0) + ahead;
  if (segment === null) return taskChunkFrames(number, chunkSize, size);
  const job = jobFrames(segment);
  return query.index === null
    ? jobChunkByNumber(job, chunkSize, number)
    : jobChunkByIndex(job, chunkSize, query.index + ahead);
}

const jobFrames = ({
  start,
  stop,
  included,
}: MediaSegment): { start: number; stop: number; included?: readonly number[] } =>
  included === null ? { start, stop } : { start, stop, included };

/** A chunk out of range is a 400: with a string for tasks, and a list for jobs. */
function explainingFailure<T>(source: MediaSource, choose: () => T): T {
  try {
    return choose();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw source.segment === null ? new InvalidString(error.message) : new InvalidList(error.message);
  }
}

function hasFrame({ segment, size }: MediaSource, number: number): boolean {
  if (segment === null) return number >= 0 && number < size;
  return number >= segment.start && number <= segment.stop && (segment.included?.includes(number) ?? true);
}

const missingFrameMessage = ({ segment, size }: MediaSource, number: number): string =>
  segment === null
    ? `Invalid frame '${number}'. The frame number should be in the [0, ${size}] range`
    : `Incorrect requested frame number: ${number}`;
