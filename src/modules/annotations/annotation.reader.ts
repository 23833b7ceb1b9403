import { Inject, Injectable } from '@nestjs/common';
import type { Snapshot } from '../../core/database/snapshot.js';
import type { WriteText } from '../../core/http/stream-json.js';
import type { LabelIndex } from '../../engines/annotations/labels.js';
import { type DuplicateFinder, duplicateShapes, duplicateTags } from '../../engines/annotations/merge-shapes.js';
import { mergeTracks } from '../../engines/annotations/merge-tracks.js';
import type { Shape, Tag, Track } from '../../engines/annotations/model.js';
import { ReadText } from '../../engines/annotations/read-text.js';
import type { AnnotatedTask } from './annotated-task.repository.js';
import { AnnotationSource, type FrameRange } from './annotation.source.js';

/** Tracks that become text at once. */
const SLICE = 50;

/** Writes annotations of jobs as the JSON of a read, with little of it in memory at any time. */
@Injectable()
export class AnnotationReader {
  constructor(@Inject(AnnotationSource) private readonly source: AnnotationSource) {}

  /** What several jobs have annotated alike on frames that they share is written once. */
  async write(snapshot: Snapshot, task: AnnotatedTask, labels: LabelIndex, write: WriteText): Promise<void> {
    const text = new ReadText(labels);
    await write(text.begin());
    const tagTwins = await this.tagTwins(snapshot, task);
    for (const { id } of task.jobs) {
      for await (const rows of this.source.tags(snapshot, id)) await write(text.tags(without(tagTwins, rows)));
    }
    const shapeTwins = await this.shapeTwins(snapshot, task);
    for (const { id } of task.jobs) {
      for await (const { rows, elementsOf } of this.source.shapes(snapshot, id)) {
        await write(text.shapes(without(shapeTwins, rows), elementsOf));
      }
    }
    for await (const tracks of this.tracks(snapshot, task)) await write(text.tracks(tracks));
    for (const { id } of task.jobs) await write(text.intervals(await this.source.intervals(snapshot, id)));
    await write(text.end());
  }

  private tagTwins(snapshot: Snapshot, task: AnnotatedTask): Promise<ReadonlySet<number | null>> {
    const load = (id: number, frames: readonly FrameRange[]): Promise<Tag[]> =>
      this.source.tagsWithin(snapshot, id, frames);
    return twins(task, duplicateTags(), load);
  }

  private shapeTwins(snapshot: Snapshot, task: AnnotatedTask): Promise<ReadonlySet<number | null>> {
    const load = (id: number, frames: readonly FrameRange[]): Promise<Shape[]> =>
      this.source.shapesWithin(snapshot, id, frames);
    return twins(task, duplicateShapes({ is3d: task.dimension === '3d' }), load);
  }

  /** Tracks go on from job to job, so those of several jobs are joined before any is written. */
  private async *tracks(snapshot: Snapshot, task: AnnotatedTask): AsyncGenerator<Track[]> {
    const [first, ...others] = task.jobs;
    if (first === undefined) return;
    if (others.length === 0) {
      yield* this.source.tracks(snapshot, first.id);
      return;
    }
    let merged: Track[] = [];
    for (const { id, start } of task.jobs) {
      const fresh: Track[] = [];
      for await (const tracks of this.source.tracks(snapshot, id)) fresh.push(...tracks);
      merged = mergeTracks(merged, fresh, { start, overlap: task.overlap, is3d: task.dimension === '3d' });
    }
    for (let start = 0; start < merged.length; start += SLICE) yield merged.slice(start, start + SLICE);
  }
}

/** Ids of the objects that a job before has, too. Only frames that jobs share are looked at. */
async function twins<T extends Tag | Shape>(
  task: AnnotatedTask,
  finder: DuplicateFinder<T>,
  load: (jobId: number, frames: readonly FrameRange[]) => Promise<T[]>,
): Promise<ReadonlySet<number | null>> {
  const ids = new Set<number | null>();
  if (task.overlap === 0 || task.jobs.length < 2) return ids;
  for (const [index, job] of task.jobs.entries()) {
    const objects = await load(job.id, sharedFrames(task, index));
    for (const twin of finder.admit({ start: job.start, overlap: task.overlap }, objects)) ids.add(twin.id);
  }
  return ids;
}

/** The frames that a job has in common with those before it, and with those after it. */
function sharedFrames({ jobs, overlap }: AnnotatedTask, index: number): FrameRange[] {
  const [job, next] = [jobs[index], jobs[index + 1]];
  return [
    ...(job === undefined || index === 0 ? [] : [[job.start, job.start + overlap - 1] as const]),
    ...(job === undefined || next === undefined ? [] : [[next.start, job.stop] as const]),
  ];
}

const without = <Row extends { readonly id: number }>(
  twins: ReadonlySet<number | null>,
  rows: readonly Row[],
): Row[] => (twins.size === 0 ? [...rows] : rows.filter((row) => !twins.has(row.id)));
