import { Inject, Injectable } from '@nestjs/common';
import type { Snapshot } from '../../core/database/snapshot.js';
import { type DuplicateFinder, duplicateShapes, duplicateTags } from '../../engines/annotations/merge-shapes.js';
import { mergeTracks } from '../../engines/annotations/merge-tracks.js';
import type { Shape, Tag, Track } from '../../engines/annotations/model.js';
import type { TagRow } from '../../engines/annotations/rows.js';
import type { AnnotatedJob, AnnotatedTask } from './annotated-task.repository.js';
import { AnnotationSource, type FrameRange, type ShapeBatch } from './annotation.source.js';

/** Tracks in one piece. */
const SLICE = 50;

/** What one job has, in pieces; nothing is read before the first piece is asked for. */
export interface PiecesOfJob<Piece> {
  /** First frame of the job. */
  readonly start: number;
  readonly pieces: AsyncIterable<Piece>;
}

/**
 * The annotations of several jobs, in bounded pieces. What jobs have annotated alike on frames that they share comes
 * once.
 */
@Injectable()
export class MergedAnnotations {
  constructor(@Inject(AnnotationSource) private readonly source: AnnotationSource) {}

  /** Job by job, each by frame. One is to be read to its end before the next. */
  async tags(snapshot: Snapshot, task: AnnotatedTask): Promise<PiecesOfJob<TagRow[]>[]> {
    const twins = await twinsOf(task, duplicateTags(), (job, frames) => this.source.tagsWithin(snapshot, job, frames));
    return task.jobs.map((job) => ({
      start: job.start,
      pieces: mapped(this.source.tags(snapshot, job), (rows) => without(twins, rows)),
    }));
  }

  /** Job by job, each by frame. One is to be read to its end before the next. */
  async shapes(snapshot: Snapshot, task: AnnotatedTask): Promise<PiecesOfJob<ShapeBatch>[]> {
    const twins = await twinsOf(task, duplicateShapes({ is3d: task.dimension === '3d' }), (job, frames) =>
      this.source.shapesWithin(snapshot, job, frames),
    );
    return task.jobs.map((job) => ({
      start: job.start,
      pieces: mapped(this.source.shapes(snapshot, job), ({ rows, elementsOf }) => ({
        rows: without(twins, rows),
        elementsOf,
      })),
    }));
  }

  /** Tracks go on from job to job, so those of several jobs are joined before any is given out. */
  async *tracks(snapshot: Snapshot, task: AnnotatedTask): AsyncGenerator<Track[]> {
    const [first, ...others] = task.jobs;
    if (first === undefined) return;
    if (others.length === 0) {
      yield* this.source.tracks(snapshot, first);
      return;
    }
    let merged: Track[] = [];
    for (const job of task.jobs) {
      const fresh: Track[] = [];
      for await (const tracks of this.source.tracks(snapshot, job)) fresh.push(...tracks);
      merged = mergeTracks(merged, fresh, { start: job.start, overlap: task.overlap, is3d: task.dimension === '3d' });
    }
    for (let start = 0; start < merged.length; start += SLICE) yield merged.slice(start, start + SLICE);
  }
}

async function* mapped<From, To>(pieces: AsyncIterable<From>, change: (piece: From) => To): AsyncGenerator<To> {
  for await (const piece of pieces) yield change(piece);
}

/** Ids of the objects that a job before has, too. Only frames that jobs share are looked at. */
async function twinsOf<T extends Tag | Shape>(
  task: AnnotatedTask,
  finder: DuplicateFinder<T>,
  load: (job: AnnotatedJob, frames: readonly FrameRange[]) => Promise<T[]>,
): Promise<ReadonlySet<number | null>> {
  const ids = new Set<number | null>();
  if (task.overlap === 0 || task.jobs.length < 2) return ids;
  for (const [index, job] of task.jobs.entries()) {
    const objects = await load(job, sharedFrames(task, index));
    for (const twin of finder.admit({ start: job.start, overlap: task.overlap }, objects)) ids.add(twin.id);
  }
  return ids;
}

/** The frames that a job has in common with those before it, and with those after it. */
function sharedFrames({ jobs, overlap }: AnnotatedTask, index: number): FrameRange[] {
  const [job, next]: (AnnotatedJob | undefined)[] = [jobs[index], jobs[index + 1]];
  return [
    ...(job === undefined || index === 0 ? [] : [[job.start, job.start + overlap - 1] as const]),
    ...(job === undefined || next === undefined ? [] : [[next.start, job.stop] as const]),
  ];
}

const without = <Row extends { readonly id: number }>(
  twins: ReadonlySet<number | null>,
  rows: readonly Row[],
): Row[] => (twins.size === 0 ? [...rows] : rows.filter((row) => !twins.has(row.id)));
