import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../../core/database/db.js';
import { joinByFrame } from '../../../engines/annotations/formats/annotated-frames.js';
import type { Dataset, DatasetTask } from '../../../engines/annotations/formats/dataset.js';
import type { AnnotationSource } from '../../../engines/annotations/formats/format.js';
import { fromRows } from '../../../engines/annotations/from-rows.js';
import type { Shape, Tag, Track } from '../../../shared/annotations/model.js';
import {
  type AnnotatedTask,
  AnnotatedTaskRepository,
  ChangedFrames,
  MergedAnnotations,
  type ShapeBatch,
  shapesOf,
} from '../../annotations/index.js';
import { DatasetRepository } from '../dataset/dataset.repository.js';
import type { ExportTarget } from '../exchange-requests.js';
import { greatest } from '../../../shared/extremes.js';
import { adjacentJobs, endingAt, type ExportFilter, filtered, inStates, onChangedFrames, type SelectedTask } from './export-filter.js'; // prettier-ignore

/** The part of a dataset that an export contains. */
export interface SelectedDataset {
  readonly dataset: Dataset;
  readonly annotations: AnnotationSource;
}

/** Selects what an export contains, and reads its annotations. */
@Injectable()
export class ExportAnnotations {
  constructor(
    private readonly rows: DatasetRepository,
    private readonly annotated: AnnotatedTaskRepository,
    private readonly merged: MergedAnnotations,
    private readonly changed: ChangedFrames,
  ) {}

  /**
   * @param signal aborts the reading with its reason
   * @throws RequestFailure if the filter selects nothing
   */
  async select(
    snapshot: Snapshot,
    whole: Dataset,
    { kind, id }: ExportTarget,
    filter: ExportFilter,
    signal: AbortSignal,
  ): Promise<SelectedDataset> {
    const tasks = new Map(
      (await this.tasks(snapshot, whole, { kind, id }, filter)).map((task) => [task.id, task] as const),
    );
    const dataset = filtered(whole, tasks, filter);
    const labelIds = filter.labels.length === 0 ? null : new Set(dataset.labels.map((label) => label.id));
    return { dataset, annotations: new DatasetAnnotations(snapshot, this.merged, { tasks, labelIds }, signal) };
  }

  private async tasks(
    snapshot: Snapshot,
    { tasks }: Dataset,
    { kind, id }: ExportTarget,
    filter: ExportFilter,
  ): Promise<SelectedTask[]> {
    const ids = tasks.map((task) => task.id);
    const [states, ...annotated] = await Promise.all([
      this.rows.jobStates(snapshot, ids),
      ...ids.map((taskId) => this.annotated.of(snapshot, kind === 'job' ? { kind, id } : { kind: 'task', id: taskId })),
    ]);
    const selected = annotated.map((task) => inStates(task, states, filter));
    if (filter.changedSince === null) return selected;
    const jobs = selected.flatMap((task) => task.jobs);
    const ranges = await this.changed.since(snapshot, jobs, filter.changedSince);
    return selected.map((task) => onChangedFrames(task, ranges));
  }
}

/** Which annotations are exported. */
interface SelectedAnnotations {
  /** With the selected jobs, by id. */
  readonly tasks: ReadonlyMap<number, AnnotatedTask>;
  /** null: all labels. */
  readonly labelIds: ReadonlySet<number> | null;
}

/** Small batches, so that the objects are collected while they are young. */
const SHAPES_AT_ONCE = 128;

/** The annotations of a dataset, from one snapshot, in the form that formats read. */
class DatasetAnnotations implements AnnotationSource {
  /** @param signal aborts the stream with its reason */
  constructor(
    private readonly snapshot: Snapshot,
    private readonly merged: MergedAnnotations,
    private readonly selected: SelectedAnnotations,
    private readonly signal: AbortSignal,
  ) {}

  async *tags(task: DatasetTask): AsyncGenerator<Tag[]> {
    const jobs = await this.merged.tags(this.snapshot, this.find(task));
    yield* joinByFrame(
      jobs.map(({ start, batches }) => ({
        start,
        batches: this.mapped(batches, (tags) => this.wanted(fromRows({ tags }).tags)),
      })),
    );
  }

  async *shapes(task: DatasetTask): AsyncGenerator<Shape[]> {
    const jobs = await this.merged.shapes(this.snapshot, this.find(task));
    yield* joinByFrame(
      jobs.map(({ start, batches }) => ({
        start,
        batches: this.built(batches),
      })),
    );
  }

  /** Tracks end where the next job is not exported. */
  async *tracks(task: DatasetTask): AsyncGenerator<Track[]> {
    const annotated = this.find(task);
    const groups = adjacentJobs(annotated.jobs);
    for (const [at, jobs] of groups.entries()) {
      const end = at === groups.length - 1 ? null : greatest(jobs.map(({ stop }) => stop)) + 1;
      const batches = await this.merged.tracks(this.snapshot, { ...annotated, jobs });
      yield* this.mapped(batches, (tracks) => {
        const wanted = this.wanted([...tracks]);
        return end === null ? wanted : wanted.map((track) => endingAt(track, end));
      });
    }
  }

  private async *built(batches: AsyncIterable<ShapeBatch>): AsyncGenerator<Shape[]> {
    for await (const { rows, elementsOf } of batches) {
      this.signal.throwIfAborted();
      for (let at = 0; at < rows.length; at += SHAPES_AT_ONCE) {
        const some = rows.slice(at, at + SHAPES_AT_ONCE);
        yield this.wanted(shapesOf({ rows: some, elementsOf }));
      }
    }
  }

  private async *mapped<From, To>(batches: AsyncIterable<From>, change: (batch: From) => To): AsyncGenerator<To> {
    for await (const batch of batches) {
      this.signal.throwIfAborted();
      yield change(batch);
    }
  }

  private wanted<T extends { readonly label_id: number }>(objects: T[]): T[] {
    const { labelIds } = this.selected;
    return labelIds === null ? objects : objects.filter(({ label_id: label }) => labelIds.has(label));
  }

  private find({ id }: DatasetTask): AnnotatedTask {
    const task = this.selected.tasks.get(id);
    if (task === undefined) throw new Error(`Task ${id} is not part of the dataset`);
    return task;
  }
}
