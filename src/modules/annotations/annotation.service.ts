import { Injectable } from '@nestjs/common';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ReadJson } from '../../core/http/body/body.js';
import { InvalidList, NotFound, PlainError } from '../../core/http/errors/errors.js';
import type { WriteText } from '../../core/http/response/stream-json.js';
import { readSnapshot } from '../../core/database/snapshot.js';
import { responseChunks } from '../../engines/annotations/response-text.js';
import { isOnPool, withRepetitions } from '../../engines/annotations/prepare-write.js';
import { mergeParts } from '../../engines/annotations/merge.js';
import { emptyData, type LabeledData } from '../../shared/annotations/model.js';
import type { Actor } from '../../shared/policy/actor.js';
import { JobService } from '../jobs/index.js';
import { LabelService } from '../labels/index.js';
import { TaskRepository, TaskService } from '../tasks/index.js';
import {
  type AnnotatedTask,
  AnnotatedTaskRepository,
  annotationTag,
  type Target,
} from './annotated-task.repository.js';
import { AnnotationWriter, type Change, labelsOf, readInput, type WrittenPart } from './annotation.writer.js';
import { AnnotationReader } from './merged-annotations.js';
import type { AnnotationView, FrameWindow } from './annotation.dto.js';
import { momentOf } from './annotation-tables.js';
import { RevisionRecorder } from './history/revision.recorder.js';
import { type Restored, RevisionRepository } from './history/revision.repository.js';
import type { Saving } from './history/saving.js';

/** What a save returns. */
export interface SavedAnnotations {
  /** JSON text of the saved annotations, in chunks. */
  readonly json: Iterable<string>;
  /** Entity tag of the annotations after the save. */
  readonly etag: string;
}

/** Annotations of one job, or of all jobs of a task. */
@Injectable()
export class AnnotationService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly annotated: AnnotatedTaskRepository,
    private readonly reader: AnnotationReader,
    private readonly writer: AnnotationWriter,
    private readonly revisions: RevisionRepository,
    private readonly recorder: RevisionRecorder,
    private readonly labels: LabelService,
    private readonly jobs: JobService,
    private readonly tasks: TaskService,
    private readonly taskRows: TaskRepository,
  ) {}

  /** @throws NotFound, Forbidden */
  async require(actor: Actor, target: Target, scope: 'view:annotations' | 'update:annotations'): Promise<void> {
    const owner = target.kind === 'job' ? this.jobs : this.tasks;
    await owner.require(this.db, actor, target.id, scope);
  }

  /**
   * Writes the annotations as JSON text, from one snapshot. The caller has checked the permission.
   * @param isKnown receives the entity tag first; if it returns true, nothing is written
   */
  read(target: Target, view: AnnotationView, isKnown: (etag: string) => boolean, write: WriteText): Promise<void> {
    return readSnapshot(this.db, async (snapshot) => {
      const task = await this.annotated.of(snapshot, target);
      if (task.size === 0) throw new PlainError(400, 'Exporting annotations from a task without data is not allowed');
      const labels = await labelsOf(snapshot, this.labels, task);
      const frames = view.interpolated && framesOf(task, view.interpolated);
      const jobs = task.jobs.map((job) => ({
        ...job,
        ...(view.at === undefined ? {} : { at: view.at }),
        ...(frames === undefined ? {} : { frames }),
      }));
      if (isKnown(annotationTag(target, { ...task, jobs }, labels))) return;
      await this.reader.write(snapshot, { ...task, jobs }, labels, frames, write);
    });
  }

  /**
   * Saves annotations and records the event. The caller has checked the permission.
   * @param read reads the body of the request
   * @throws ApiError 400 that names every wrong field, or 412; nothing is saved
   */
  async save(actor: Actor, target: Target, change: Change, read: ReadJson): Promise<SavedAnnotations> {
    const data = await read((body) => readInput(body, change));
    const { parts, task, etag } = await this.work.run(async (tx) => {
      const saving = await this.writer.begin(tx, target, change);
      const spread = writable(saving.task, target, change, data);
      const parts = await this.writer.write(tx, saving, change, spread, { split: target.kind === 'task' });
      return { parts, task: saving.task, etag: await this.finish(tx, actor, target, saving) };
    });
    if (target.kind === 'task') return { json: responseChunks(merged(task, parts)), etag };
    const [part] = parts;
    return { json: responseChunks(part?.data ?? emptyData()), etag };
  }

  /**
   * Replaces the annotations with those of a file, or appends them, in the caller's transaction, and records the event.
   * Imported groups get unused numbers.
   * @param pieces of bounded size, validated as far as possible without the task
   * @throws ApiError 400 if the annotations do not match the labels or the task
   */
  async importAll(
    tx: Tx,
    actor: Actor,
    target: Target,
    pieces: AsyncIterable<LabeledData>,
    mode: 'replace' | 'append' = 'replace',
  ): Promise<void> {
    const saving = await this.writer.begin(tx, target, 'import');
    if (mode === 'replace') await this.writer.clear(tx, saving);
    const groups = await this.writer.renumberGroups(tx, saving);
    for await (const data of pieces) {
      groups.settle(data);
      const spread = writable(saving.task, target, 'create', data);
      await this.writer.write(tx, saving, 'create', spread, { split: target.kind === 'task' });
    }
    await this.finish(tx, actor, target, saving);
  }

  /** Deletes all annotations and records the event. The caller has checked the permission. @returns the new entity tag */
  clear(actor: Actor, target: Target): Promise<string> {
    return this.work.run(async (tx) => {
      const saving = await this.writer.begin(tx, target, 'clear');
      await this.writer.clear(tx, saving);
      return this.finish(tx, actor, target, saving);
    });
  }

  /**
   * Restores an earlier state as a new save. The caller has checked the permission.
   * @param which returns the state after the jobs are locked; undefined if it is no longer kept
   * @throws NotFound, ApiError 400, 412
   */
  restore(actor: Actor, target: Target, restored: Restored): Promise<{ revision: number; etag: string }> {
    return this.work.run(async (tx) => {
      const saving = await this.writer.begin(tx, target, 'restore');
      if ((await this.revisions.find(tx, target, restored.revision)) === undefined) throw NotFound.of('Revision');
      await this.writer.restore(tx, saving, momentOf(restored));
      return { revision: saving.revision, etag: await this.finish(tx, actor, target, saving, restored) };
    });
  }

  /**
   * Records the save in the history and the event in the outbox. Like every change of jobs, it locks the task before
   * its jobs, but only at the end, so that a long write does not block others.
   * @returns the new entity tag
   */
  private async finish(
    tx: Tx,
    actor: Actor,
    target: Target,
    saving: Saving,
    restored: Restored | null = null,
  ): Promise<string> {
    const jobIds = [...saving.changedJobs].toSorted((a, b) => a - b);
    if (jobIds.length > 0) {
      await this.taskRows.lock(tx, saving.task.id);
      await this.jobs.touch(tx, actor, jobIds);
      await this.tasks.touch(tx, actor, saving.task.id, { touchProject: true });
      await this.recorder.record(tx, actor, [saving], restored);
    }
    const task = await this.annotated.of(tx, target);
    return annotationTag(target, task, await labelsOf(tx, this.labels, task));
  }
}

const merged = (task: AnnotatedTask, parts: readonly WrittenPart[]): LabeledData =>
  mergeParts(
    parts.map(({ job, data }) => ({ start: job.start, overlap: task.overlap, data })),
    { is3d: task.dimension === '3d' },
  );

/** The requested frames that the jobs have. */
const framesOf = ({ jobs }: AnnotatedTask, { start = 0, stop = Infinity }: FrameWindow): readonly [number, number] => [
  Math.max(start, Math.min(...jobs.map((job) => job.start))),
  Math.min(stop, Math.max(...jobs.map((job) => job.stop))),
];

/**
 * The annotations to save. Annotations on frames of the pool are copied to their honeypots.
 * @throws InvalidList if the task does not accept such annotations
 */
function writable(task: AnnotatedTask, target: Target, change: Change, data: LabeledData): LabeledData {
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
