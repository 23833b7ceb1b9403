import { Inject, Injectable } from '@nestjs/common';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { InvalidList, PlainError } from '../../core/http/errors.js';
import type { WriteText } from '../../core/http/stream-json.js';
import { readSnapshot } from '../../core/database/snapshot.js';
import { answerChunks } from '../../engines/annotations/answer.js';
import { mergeParts } from '../../engines/annotations/merge.js';
import { emptyData, type LabeledData } from '../../engines/annotations/model.js';
import type { Actor } from '../../policy/actor.js';
import { JobService } from '../jobs/index.js';
import { LabelService } from '../labels/index.js';
import { TaskRepository, TaskService } from '../tasks/index.js';
import { type AnnotatedTask, AnnotatedTaskRepository, type Target } from './annotated-task.repository.js';
import { type Change, readInput } from './annotation-input.js';
import { AnnotationReader } from './annotation.reader.js';
import { AnnotationWriter, type Written } from './annotation.writer.js';
import { labelsOf } from './label-specs.js';

/** Annotations of one job, or of all jobs of a task. */
@Injectable()
export class AnnotationService {
  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(AnnotatedTaskRepository) private readonly annotated: AnnotatedTaskRepository,
    @Inject(AnnotationReader) private readonly reader: AnnotationReader,
    @Inject(AnnotationWriter) private readonly writer: AnnotationWriter,
    @Inject(LabelService) private readonly labels: LabelService,
    @Inject(JobService) private readonly jobs: JobService,
    @Inject(TaskService) private readonly tasks: TaskService,
    @Inject(TaskRepository) private readonly taskRows: TaskRepository,
  ) {}

  /** @throws NotFound, Forbidden */
  async require(actor: Actor, target: Target, scope: 'view:annotations' | 'update:annotations'): Promise<void> {
    const owner = target.kind === 'job' ? this.jobs : this.tasks;
    await owner.require(this.db, actor, target.id, scope);
  }

  /** Writes the annotations as JSON text, all of one moment. The caller has checked the permission. */
  read(target: Target, write: WriteText): Promise<void> {
    return readSnapshot(this.db, async (snapshot) => {
      const task = await this.annotated.of(snapshot, target);
      if (task.size === 0) throw new PlainError(400, 'Exporting annotations from a task without data is not allowed');
      await this.reader.write(snapshot, task, await labelsOf(snapshot, this.labels, task), write);
    });
  }

  /**
   * Saves annotations and tells it. The caller has checked the permission.
   * @param body as sent
   * @returns JSON text of what was saved, in pieces
   * @throws ApiError 400 that names what is wrong; nothing is saved then
   */
  async save(actor: Actor, target: Target, change: Change, body: unknown): Promise<Iterable<string>> {
    const data = readInput(body, change);
    const { written, task } = await this.work.run(async (tx) => {
      const task = await this.annotated.of(tx, target);
      requireWritable(task, target, change, data);
      const written = await this.writer.write(tx, task, change, data, { split: target.kind === 'task' });
      await this.tell(tx, actor, task, written);
      return { written, task };
    });
    if (target.kind === 'task') return answerChunks(merged(task, written));
    const [part] = written.parts;
    return answerChunks(part?.data ?? emptyData(), part?.shapeRows);
  }

  /**
   * Replaces the annotations by those of a file, in the caller's transaction, and tells it.
   * @param pieces in bounded size, checked as far as a file can be
   * @throws ApiError 400 for what does not fit to the labels, or to the task
   */
  async importAll(tx: Tx, actor: Actor, target: Target, pieces: AsyncIterable<LabeledData>): Promise<void> {
    const task = await this.annotated.of(tx, target);
    const { changedJobs } = await this.writer.clear(tx, task);
    const changed = new Set(changedJobs);
    for await (const data of pieces) {
      requireWritable(task, target, 'create', data);
      const written = await this.writer.write(tx, task, 'create', data, { split: target.kind === 'task' });
      for (const id of written.changedJobs) changed.add(id);
    }
    await this.tell(tx, actor, task, { parts: [], changedJobs: [...changed].toSorted((a, b) => a - b) });
  }

  /** Deletes all annotations and tells it. The caller has checked the permission. */
  clear(actor: Actor, target: Target): Promise<void> {
    return this.work.run(async (tx) => {
      const task = await this.annotated.of(tx, target);
      await this.tell(tx, actor, task, await this.writer.clear(tx, task));
    });
  }

  /** The task is locked before its jobs, as in every change of jobs; only now, so that long writes do not stop others. */
  private async tell(tx: Tx, actor: Actor, task: AnnotatedTask, { changedJobs }: Written): Promise<void> {
    if (changedJobs.length === 0) return;
    await this.taskRows.lock(tx, task.id);
    await this.jobs.touch(tx, actor, changedJobs);
    await this.tasks.change(tx, actor, task.id, () => Promise.resolve([]), { touchProject: true });
  }
}

const merged = (task: AnnotatedTask, { parts }: Written): LabeledData =>
  mergeParts(
    parts.map(({ job, data }) => ({ start: job.start, overlap: task.overlap, data })),
    { is3d: task.dimension === '3d' },
  );

/** @throws InvalidList where the task does not take such annotations */
function requireWritable(task: AnnotatedTask, target: Target, change: Change, data: LabeledData): void {
  if (task.size === 0) throw new InvalidList('Saving annotations to a task without data is not allowed');
  if (task.validation_mode !== 'gt_pool') return;
  if (data.tracks.length > 0) throw new InvalidList('Tracks are not supported in tasks with a ground truth pool');
  if (target.kind === 'task' && (change === 'update' || change === 'delete')) {
    throw new InvalidList(`The action '${change}' is not supported in tasks with a ground truth pool`);
  }
}
