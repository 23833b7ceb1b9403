import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { assignIds } from '../../engines/annotations/ids.js';
import { checkLabels } from '../../engines/annotations/labels.js';
import type { LabeledData } from '../../engines/annotations/model.js';
import { type ShapeRow, toRows } from '../../engines/annotations/rows.js';
import { splitData } from '../../engines/annotations/split.js';
import { settleTracks } from '../../engines/annotations/track-writes.js';
import { LabelService } from '../labels/index.js';
import { type AnnotatedJob, type AnnotatedTask, AnnotatedTaskRepository } from './annotated-task.repository.js';
import { type Change, isEmpty, refusing, usedLabels } from './annotation-input.js';
import { AnnotationRepository, type ObjectIds } from './annotation.repository.js';
import { labelsOf } from './label-specs.js';

/** What was written to one job. */
export interface WrittenPart {
  readonly job: AnnotatedJob;
  /** With ids. */
  readonly data: LabeledData;
  /** The rows of its shapes; absent where nothing was inserted. */
  readonly shapeRows?: readonly ShapeRow[];
}

export interface Written {
  readonly parts: readonly WrittenPart[];
  /** The jobs that are not what they were. */
  readonly changedJobs: readonly number[];
}

/** Writes annotations of jobs inside a transaction, for requests and imports alike. */
@Injectable()
export class AnnotationWriter {
  constructor(
    @Inject(AnnotatedTaskRepository) private readonly tasks: AnnotatedTaskRepository,
    @Inject(AnnotationRepository) private readonly annotations: AnnotationRepository,
    @Inject(LabelService) private readonly labels: LabelService,
  ) {}

  /**
   * Locks the jobs, checks the labels, spreads the annotations over the jobs if there are several and does `change` in
   * each. Changes `data` in place; running it again with the same data, after a rollback, is fine.
   * @throws ApiError 400 for wrong labels and taken ids
   */
  async write(
    tx: Tx,
    task: AnnotatedTask,
    change: Change,
    data: LabeledData,
    options: { readonly split: boolean },
  ): Promise<Written> {
    const jobIds = task.jobs.map((job) => job.id);
    await this.tasks.lock(tx, jobIds);
    await this.tasks.lockLabels(tx, usedLabels(data));
    const labels = await labelsOf(tx, this.labels, task);
    refusing(() => checkLabels(data, labels));
    const changed = new Set(change === 'replace' ? await this.annotations.deleteAll(tx, jobIds) : []);
    const parts: WrittenPart[] = [];
    const split = options.split
      ? splitData(data, task.jobs, { action: change === 'replace' ? 'create' : change })
      : [data];
    for (const [index, job] of task.jobs.entries()) {
      const part = split[index];
      if (part === undefined) continue;
      parts.push(await this.writePart(tx, job, change, part));
      if (!isEmpty(part) || (change === 'replace' && !options.split)) changed.add(job.id);
    }
    return { parts, changedJobs: [...changed].toSorted((a, b) => a - b) };
  }

  /** Deletes all annotations of the jobs. */
  async clear(tx: Tx, task: AnnotatedTask): Promise<Written> {
    const jobIds = task.jobs.map((job) => job.id);
    await this.tasks.lock(tx, jobIds);
    return { parts: [], changedJobs: (await this.annotations.deleteAll(tx, jobIds)).toSorted((a, b) => a - b) };
  }

  private async writePart(tx: Tx, job: AnnotatedJob, change: Change, data: LabeledData): Promise<WrittenPart> {
    if (change === 'update' || change === 'delete') await this.annotations.delete(tx, job.id, objectIds(data));
    if (change === 'delete') return { job, data };
    settleTracks(data);
    assignIds(data, await this.annotations.reserveIds(tx, data));
    const rows = toRows(data, job.id);
    await this.annotations.insert(tx, rows);
    return { job, data, shapeRows: rows.shapes };
  }
}

const objectIds = (data: LabeledData): ObjectIds => ({
  tags: known(data.tags),
  shapes: known(data.shapes),
  tracks: known(data.tracks),
  intervals: known(data.intervals),
});

const known = (objects: readonly { readonly id: number | null }[]): number[] =>
  objects.flatMap((object) => (object.id === null ? [] : [object.id]));
