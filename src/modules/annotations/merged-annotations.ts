import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../core/database/db.js';
import { fromRows } from '../../engines/annotations/from-rows.js';
import { type DuplicateFinder, duplicateShapes, duplicateTags } from '../../engines/annotations/duplicates.js';
import type { ShapeRow, TagRow } from '../../engines/annotations/rows.js';
import { TrackMerger } from '../../engines/annotations/track-merger.js';
import { finishWithPauses } from '../../engines/concurrency/steps.js';
import { Turns } from '../../engines/concurrency/turns.js';
import type { Shape, Tag, Track } from '../../shared/annotations/model.js';
import type { AnnotatedJob, AnnotatedTask } from './annotated-task.repository.js';
import { AnnotationSource, type ShapeBatch } from './annotation.source.js';
import type { FrameRange, WantedFrames } from './rows-of-jobs.js';

/** The number of tracks in a batch. */
const SLICE = 50;

/** The annotations of one job in batches. Reading starts when the first batch is requested. */
export interface JobBatches<Batch> {
  /** First frame of the job. */
  readonly start: number;
  readonly batches: AsyncIterable<Batch>;
}

/**
 * Streams the annotations of several jobs in batches of bounded size. An annotation that several jobs have on a shared
 * frame appears once. Duplicates are found, in short steps, before the first batch is read: every method throws
 * TooManyPairs if the annotations of a frame cannot be compared in bounded time.
 */
@Injectable()
export class MergedAnnotations {
  constructor(private readonly source: AnnotationSource) {}

  /** Job by job, sorted by frame. Read one job to its end before the next. */
  async tags(snapshot: Snapshot, task: AnnotatedTask): Promise<JobBatches<TagRow[]>[]> {
    const duplicates = await duplicatesOf(
      task,
      duplicateTags(),
      (jobs) => this.source.tagsWithin(snapshot, jobs),
      (tags) => fromRows({ tags }).tags,
    );
    return byJob(
      task.jobs,
      this.source.tags(snapshot, task.jobs),
      ([first]) => first?.job_id,
      (rows) => without(duplicates, rows),
    );
  }

  /** Job by job, sorted by frame. Read one job to its end before the next. */
  async shapes(snapshot: Snapshot, task: AnnotatedTask): Promise<JobBatches<ShapeBatch>[]> {
    const duplicates = await duplicatesOf(
      task,
      duplicateShapes({ is3d: task.dimension === '3d' }),
      (jobs) => this.source.shapesWithin(snapshot, jobs),
      (shapes: ShapeRow[]) => fromRows({ shapes }).shapes,
    );
    return byJob(
      task.jobs,
      this.source.shapes(snapshot, task.jobs),
      ({ rows: [first] }) => first?.job_id,
      (batch) => ({
        rows: without(duplicates, batch.rows),
        elementsOf: batch.elementsOf,
      }),
    );
  }

  /** Tracks continue from job to job, so those of several jobs are read and joined before the first batch is returned. */
  async tracks(snapshot: Snapshot, task: AnnotatedTask): Promise<AsyncIterable<readonly Track[]>> {
    const found = this.source.tracks(snapshot, task.jobs);
    if (task.jobs.length === 1) return tracksIn(found);
    const tracksOf = new Map(task.jobs.map(({ id }): [number, Track[]] => [id, []]));
    for await (const { jobId, tracks } of found) for (const track of tracks) tracksOf.get(jobId)?.push(track);
    const merger = new TrackMerger(task.dimension === '3d', 'fail');
    const turns = new Turns();
    for (const { id, start } of task.jobs) {
      await finishWithPauses(merger.add(tracksOf.get(id) ?? [], { start, overlap: task.overlap }), turns.pause);
      tracksOf.delete(id);
    }
    return slicesOf(merger.tracks);
  }
}

async function* tracksIn(batches: AsyncIterable<{ readonly tracks: Track[] }>): AsyncGenerator<Track[]> {
  for await (const { tracks } of batches) yield tracks;
}

async function* slicesOf(tracks: readonly Track[]): AsyncGenerator<readonly Track[]> {
  for (let start = 0; start < tracks.length; start += SLICE) yield tracks.slice(start, start + SLICE);
}

/** Splits a stream of several jobs into one stream for each job. */
function byJob<From, To>(
  jobs: readonly AnnotatedJob[],
  found: AsyncGenerator<From>,
  jobOf: (batch: From) => number | undefined,
  change: (batch: From) => To,
): JobBatches<To>[] {
  let ahead: From | undefined;
  let isOpen = true;
  /** Reads the next batch. If it belongs to another job, keeps it for that job and returns undefined. */
  async function next(id: number): Promise<From | undefined> {
    if (ahead === undefined && isOpen) {
      const { done, value } = await found.next();
      if (done === true) isOpen = false;
      else ahead = value;
    }
    if (ahead === undefined || jobOf(ahead) !== id) return undefined;
    const batch = ahead;
    ahead = undefined;
    return batch;
  }
  async function* batchesOf(id: number, isLast: boolean): AsyncGenerator<To> {
    let isRead = false;
    try {
      for (let batch = await next(id); batch !== undefined; batch = await next(id)) yield change(batch);
      isRead = true;
    } finally {
      if (!isRead) await found.return(undefined);
    }
    if (isLast && ahead !== undefined) throw new Error('The annotations have come in another order than their jobs');
  }
  return jobs.map(({ id, start }, index) => ({ start, batches: batchesOf(id, index === jobs.length - 1) }));
}

/** Ids of objects that duplicate an object of an earlier job. Reads only the frames that jobs share. */
async function duplicatesOf<Row extends { readonly job_id: number }, T extends Tag | Shape>(
  task: AnnotatedTask,
  finder: DuplicateFinder<T>,
  load: (jobs: readonly WantedFrames[]) => AsyncGenerator<Row[]>,
  objectsOf: (rows: Row[]) => T[],
): Promise<ReadonlySet<number | null>> {
  const ids = new Set<number | null>();
  if (task.overlap === 0 || task.jobs.length < 2) return ids;
  const shared = task.jobs.map((job, index) => ({ ...job, ranges: sharedFrames(task, index) }));
  const jobs = byJob(
    task.jobs,
    load(shared),
    ([first]) => first?.job_id,
    (rows) => rows,
  );
  const turns = new Turns();
  for (const { start, batches } of jobs) {
    const objects: T[] = [];
    for await (const batch of batches) {
      for (const object of objectsOf(batch)) objects.push(object);
      await turns.take();
    }
    const found = await finishWithPauses(finder.admit({ start, overlap: task.overlap }, objects), turns.pause);
    for (const duplicate of found) ids.add(duplicate.id);
  }
  return ids;
}

/** The frames that a job shares with the job before it, and with the job after it. */
function sharedFrames({ jobs, overlap }: AnnotatedTask, index: number): FrameRange[] {
  const [job, next]: (AnnotatedJob | undefined)[] = [jobs[index], jobs[index + 1]];
  return [
    ...(job === undefined || index === 0 ? [] : [[job.start, job.start + overlap - 1] as const]),
    ...(job === undefined || next === undefined ? [] : [[next.start, job.stop] as const]),
  ];
}

const without = <Row extends { readonly id: number }>(
  duplicates: ReadonlySet<number | null>,
  rows: readonly Row[],
): Row[] => (duplicates.size === 0 ? [...rows] : rows.filter((row) => !duplicates.has(row.id)));
