import type { Snapshot } from '../../../core/database/snapshot.js';
import { joinByFrame } from '../../../engines/annotations/formats/by-frame.js';
import type { DatasetTask } from '../../../engines/annotations/formats/dataset.js';
import type { AnnotationSource } from '../../../engines/annotations/formats/format.js';
import { fromRows } from '../../../engines/annotations/from-rows.js';
import type { Shape, Tag, Track } from '../../../shared/annotations/model.js';
import { type AnnotatedTask, type MergedAnnotations, type ShapeBatch, shapesOf } from '../../annotations/index.js';

/** Small batches, so that the objects are collected while they are young. */
const SHAPES_AT_ONCE = 128;

/** The annotations of a dataset, from one snapshot, in the form that formats read. */
export class DatasetAnnotations implements AnnotationSource {
  /**
   * @param tasks by id
   * @param signal aborts the stream with its reason
   */
  constructor(
    private readonly snapshot: Snapshot,
    private readonly merged: MergedAnnotations,
    private readonly tasks: ReadonlyMap<number, AnnotatedTask>,
    private readonly signal: AbortSignal,
  ) {}

  async *tags(task: DatasetTask): AsyncGenerator<Tag[]> {
    const jobs = await this.merged.tags(this.snapshot, this.find(task));
    yield* joinByFrame(
      jobs.map(({ start, pieces }) => ({
        start,
        pieces: this.mapped(pieces, (tags) => fromRows({ tags }).tags),
      })),
    );
  }

  async *shapes(task: DatasetTask): AsyncGenerator<Shape[]> {
    const jobs = await this.merged.shapes(this.snapshot, this.find(task));
    yield* joinByFrame(
      jobs.map(({ start, pieces }) => ({
        start,
        pieces: this.built(pieces),
      })),
    );
  }

  tracks(task: DatasetTask): AsyncIterable<Track[]> {
    return this.mapped(this.merged.tracks(this.snapshot, this.find(task)), (tracks) => tracks);
  }

  private async *built(batches: AsyncIterable<ShapeBatch>): AsyncGenerator<Shape[]> {
    for await (const { rows, elementsOf } of batches) {
      this.signal.throwIfAborted();
      for (let at = 0; at < rows.length; at += SHAPES_AT_ONCE) {
        const some = rows.slice(at, at + SHAPES_AT_ONCE);
        yield shapesOf({ rows: some, elementsOf });
      }
    }
  }

  private async *mapped<From, To>(pieces: AsyncIterable<From>, change: (piece: From) => To): AsyncGenerator<To> {
    for await (const piece of pieces) {
      this.signal.throwIfAborted();
      yield change(piece);
    }
  }

  private find({ id }: DatasetTask): AnnotatedTask {
    const task = this.tasks.get(id);
    if (task === undefined) throw new Error(`Task ${id} is not part of the dataset`);
    return task;
  }
}
