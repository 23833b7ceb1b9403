import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ReadJson } from '../../core/http/body/body.js';
import { ApiError, InvalidList, NotFound } from '../../core/http/errors/errors.js';
import { responseChunks } from '../../engines/annotations/response-text.js';
import { isOnPool, withRepetitions } from '../../engines/annotations/prepare-write.js';
import { mergeParts } from '../../engines/annotations/merge.js';
import { finishWithPauses } from '../../engines/concurrency/steps.js';
import { Turns } from '../../engines/concurrency/turns.js';
import { emptyData, type LabeledData, type Shape, type Track } from '../../shared/annotations/model.js';
import type { Actor } from '../../shared/policy/actor.js';
import type { LabelIndex } from '../../engines/annotations/labels.js';
import {
  type AnnotatedJob,
  type AnnotatedTask,
  AnnotatedTaskRepository,
  afterSave,
  annotationTag,
  type Target,
} from './annotated-task.repository.js';
import {
  AnnotationWriter,
  type Change,
  readAnnotations,
  requireFrames,
  requireIntervals,
  type WrittenPart,
} from './annotation.writer.js';
import { lastSaveOf } from './annotation-tables.js';
import { AnnotationRepository } from './annotation.repository.js';
import { SaveRecorder } from './history/revision.recorder.js';
import { type Restored, RevisionRepository } from './history/revision.repository.js';
import type { ObjectCounts, PendingRevision } from './history/pending-revision.js';
import type { RevisionCounts } from './history/revision.dto.js';

/** What a save returns. */
export interface SavedAnnotations {
  /** JSON text of the saved annotations, in chunks. */
  readonly json: Iterable<string>;
  /** Entity tag of the annotations after the save. */
  readonly etag: string;
}

/** The save of an import. */
export interface ImportSave {
  /** Its id in the history. */
  readonly revision: number;
  /** The numbers of objects that it removed. */
  readonly replaced: ObjectCounts;
}

/** Tracks that replace single shapes of a job. */
export interface JoinedShapes {
  readonly revision: number;
  /** With ids. */
  readonly shapes: readonly Shape[];
  readonly tracks: readonly Track[];
}

/** Saves the annotations of one job, or of all jobs of a task. */
@Injectable()
export class AnnotationService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly writer: AnnotationWriter,
    private readonly revisions: RevisionRepository,
    private readonly saves: SaveRecorder,
  ) {}

  /**
   * Saves annotations and records the event. The caller has checked the permission.
   * @param read reads the body of the request
   * @throws ApiError 400 that names every wrong field, or 412; nothing is saved
   */
  async save(actor: Actor, target: Target, change: Change, read: ReadJson): Promise<SavedAnnotations> {
    const data = await read((body) => readAnnotations(body, change));
    const { parts, task, etag } = await this.work.run(async (tx) => {
      const { saving, labels } = await this.writer.begin(tx, target, change);
      const spread = prepare(saving.task, target, change, data);
      requireFramesSent(saving.task, target, change, data);
      const parts = await this.writer.write(tx, saving, change, spread, { split: target.kind === 'task' });
      await this.finish(tx, actor, saving);
      return { parts, task: saving.task, etag: tagAfter(target, saving, labels) };
    });
    if (target.kind === 'task') return { json: responseChunks(await merged(task, parts)), etag };
    const [part] = parts;
    return { json: responseChunks(part?.data ?? emptyData()), etag };
  }

  /** Checks annotations that are not saved. @throws ApiError 400 if they do not match the labels of the task */
  async requireLabels(db: Queryable, taskId: number, data: LabeledData): Promise<void> {
    await this.writer.requireLabels(db, { kind: 'task', id: taskId }, data);
  }

  /**
   * Imports the annotations of a file in the caller's transaction, and records the event. They replace the existing ones
   * or are appended to them. Imported groups get unused numbers.
   * @param batches the annotations in batches of bounded size, validated as far as possible without the task
   * @returns the save; null if nothing was there before nor after
   * @throws ApiError 400 if the annotations do not match the labels or the task
   */
  async importAll(
    tx: Tx,
    actor: Actor,
    target: Target,
    batches: AsyncIterable<LabeledData>,
    mode: 'replace' | 'append' = 'replace',
  ): Promise<ImportSave | null> {
    const { saving } = await this.writer.begin(tx, target, 'import');
    if (mode === 'replace') await this.writer.clear(tx, saving);
    const groups = await this.writer.renumberGroups(tx, saving);
    for await (const data of batches) {
      groups.settle(data);
      const spread = prepare(saving.task, target, 'create', data);
      requireFrames(data, saving.task);
      await this.writer.write(tx, saving, 'create', spread, { split: target.kind === 'task' });
    }
    const counts = await this.finish(tx, actor, saving);
    return counts === null ? null : { revision: saving.revision, replaced: counts.deleted };
  }

  /**
   * Adds annotations in the caller's transaction, as one save, and records the event. Groups get unused numbers.
   * @param replaced delete the annotations of the target that have not been changed since this date; null: none
   * @throws NotFound; ApiError 400 if the annotations do not match the labels or the task
   */
  async add(tx: Tx, actor: Actor, target: Target, data: LabeledData, replaced: string | null): Promise<void> {
    const { saving } = await this.writer.begin(tx, target, replaced === null ? 'create' : 'replace');
    if (replaced !== null) await this.writer.clearOlder(tx, saving, replaced);
    const groups = await this.writer.renumberGroups(tx, saving);
    groups.settle(data);
    const spread = prepare(saving.task, target, 'create', data);
    requireFrames(data, saving.task);
    await this.writer.write(tx, saving, 'create', spread, { split: target.kind === 'task' });
    await this.finish(tx, actor, saving);
  }

  /**
   * Replaces single shapes by tracks in the caller's transaction, as one save, and records the event.
   * @param changes by job; `revision` is the last save of the job when its shapes were read
   * @throws NotFound; ApiError 400, or 409 if a job was saved since
   */
  async joinShapes(tx: Tx, actor: Actor, target: Target, changes: ReadonlyMap<number, JoinedShapes>): Promise<void> {
    const { saving } = await this.writer.begin(tx, target, 'update');
    for (const job of saving.task.jobs) {
      const change = changes.get(job.id);
      if (change === undefined) continue;
      if (job.revision !== change.revision)
        throw new ApiError(409, `The annotations of job ${job.id} were changed in the meantime.`);
      const tracks = prepare(saving.task, target, 'create', { ...emptyData(), tracks: [...change.tracks] });
      const shapes = { ...emptyData(), shapes: [...change.shapes] };
      await this.writer.write(tx, saving, 'delete', shapes, { split: false, job });
      await this.writer.write(tx, saving, 'create', tracks, { split: false, job });
    }
    await this.finish(tx, actor, saving);
  }

  /**
   * Replaces the annotations of some annotation jobs of a task in the caller's transaction, as one save, and records the
   * event.
   * @param annotationsOf is called for one job after the other; the annotations come in batches of bounded size
   * @throws NotFound if the task no longer exists; ApiError 400 if the annotations do not match its labels
   */
  async replaceOfJobs(
    tx: Tx,
    actor: Actor,
    jobs: { readonly taskId: number; readonly jobIds: readonly number[] },
    annotationsOf: (job: AnnotatedJob) => AsyncIterable<LabeledData>,
  ): Promise<void> {
    const saving = await this.writer.beginJobs(tx, jobs, 'merge');
    await this.writer.clear(tx, saving);
    for (const job of saving.task.jobs) {
      for await (const data of annotationsOf(job)) {
        await this.writer.write(tx, saving, 'create', data, { split: false, job });
      }
    }
    await this.finish(tx, actor, saving);
  }

  /** Deletes all annotations and records the event. The caller has checked the permission. @returns the new entity tag */
  clear(actor: Actor, target: Target): Promise<string> {
    return this.work.run(async (tx) => {
      const { saving, labels } = await this.writer.begin(tx, target, 'clear');
      await this.writer.clear(tx, saving);
      await this.finish(tx, actor, saving);
      return tagAfter(target, saving, labels);
    });
  }

  /**
   * Restores an earlier state as a new save. The caller has checked the permission.
   * @throws NotFound if the history no longer has it; ApiError 400, 412
   */
  restore(actor: Actor, target: Target, restored: Restored): Promise<{ revision: number; etag: string }> {
    return this.work.run(async (tx) => {
      const { saving, labels } = await this.writer.begin(tx, target, 'restore');
      if ((await this.revisions.find(tx, target, restored.revision)) === undefined) throw NotFound.of('Revision');
      await this.writer.restore(tx, saving, lastSaveOf(restored));
      await this.finish(tx, actor, saving, restored);
      return { revision: saving.revision, etag: tagAfter(target, saving, labels) };
    });
  }

  /** @returns null if nothing changed */
  private async finish(
    tx: Tx,
    actor: Actor,
    saving: PendingRevision,
    restored: Restored | null = null,
  ): Promise<RevisionCounts | null> {
    return saving.changedJobs.size > 0 ? this.saves.record(tx, actor, saving, restored) : null;
  }
}

/** @param labels as they were when the save began: if somebody changed them since, the tag is outdated, and rightly so */
const tagAfter = (target: Target, { task, revision, changedJobs }: PendingRevision, labels: LabelIndex): string =>
  annotationTag(target, afterSave(task, revision, changedJobs), labels);

/** Deletes the annotations of single frames. */
@Injectable()
export class FrameAnnotations {
  constructor(
    private readonly annotated: AnnotatedTaskRepository,
    private readonly annotations: AnnotationRepository,
    private readonly revisions: RevisionRepository,
    private readonly saves: SaveRecorder,
  ) {}

  /** Locks the annotations of the task's jobs until the transaction ends. Call it before locking the task. */
  async lock(tx: Tx, taskId: number): Promise<void> {
    await this.annotated.lock(tx, await this.annotated.jobIds(tx, [taskId]));
  }

  /**
   * Deletes the tags and shapes on frames whose images are replaced, as a save with its own revision and event. The
   * caller has locked first the jobs, then the task.
   * @param jobIds the jobs that have the frames
   */
  async clear(
    tx: Tx,
    actor: Actor,
    taskId: number,
    { jobIds, frames }: { readonly jobIds: readonly number[]; readonly frames: readonly number[] },
  ): Promise<void> {
    const task = await this.annotated.of(tx, { kind: 'task', id: taskId });
    const saving = await this.revisions.begin(tx, 'delete', task);
    const changed = await this.annotations.deleteOnFrames(tx, jobIds, frames, saving.revision);
    for (const id of changed) saving.changedJobs.add(id);
    await this.saves.record(tx, actor, saving);
  }
}

const merged = (task: AnnotatedTask, parts: readonly WrittenPart[]): Promise<LabeledData> =>
  finishWithPauses(
    mergeParts(
      parts.map(({ job, data }) => ({ start: job.start, overlap: task.overlap, data })),
      { is3d: task.dimension === '3d' },
    ),
    new Turns().pause,
  );

/** @throws ApiError 400 that names the annotations on frames that the task does not have */
function requireFramesSent(task: AnnotatedTask, target: Target, change: Change, data: LabeledData): void {
  if (change === 'delete') return; // annotations must stay deletable wherever they are
  if (target.kind === 'job') requireFrames(data, task);
  else requireIntervals(data, task); // clients expect that tags, shapes and tracks outside the task are dropped
}

/**
 * The annotations to save. In a task with a ground truth pool, those on frames of the pool are copied to the honeypots.
 * @throws InvalidList if the task does not accept such annotations
 */
function prepare(task: AnnotatedTask, target: Target, change: Change, data: LabeledData): LabeledData {
  if (task.size === 0) throw new InvalidList('Saving annotations to a task without data is not allowed');
  if (task.validation_mode !== 'gt_pool') return data;
  if (data.tracks.length > 0) throw new InvalidList('Tracks are not supported in tasks with a ground truth pool');
  if (target.kind === 'job') return data;
  if (change === 'update' || change === 'delete') {
    if (!isOnPool(data, new Set(task.pool))) return data;
    throw new InvalidList('GT annotations can only be edited via task import or the GT job');
  }
  const repetitions = new Map<number, number[]>();
  for (const { frame, real } of task.honeypots) repetitions.set(real, [...(repetitions.get(real) ?? []), frame]);
  return withRepetitions(data, repetitions);
}
