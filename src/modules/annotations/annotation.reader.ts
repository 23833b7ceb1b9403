import { Injectable } from '@nestjs/common';
import { Db, readSnapshot, type Snapshot } from '../../core/database/db.js';
import { PlainError } from '../../core/http/errors/errors.js';
import type { WriteText } from '../../core/http/response/stream-json.js';
import { TooManyPairs } from '../../engines/annotations/assignment.js';
import type { LabelIndex } from '../../engines/annotations/labels.js';
import { ReadText } from '../../engines/annotations/read-text.js';
import type { Actor } from '../../shared/policy/actor.js';
import { JobService } from '../jobs/index.js';
import { LabelService } from '../labels/index.js';
import { TaskService } from '../tasks/index.js';
import {
  type AnnotatedTask,
  AnnotatedTaskRepository,
  annotationTag,
  type Target,
} from './annotated-task.repository.js';
import type { AnnotationView, FrameWindow } from './annotation.dto.js';
import { AnnotationSource } from './annotation.source.js';
import { labelsOf } from './annotation.writer.js';
import { MergedAnnotations } from './merged-annotations.js';
import type { FrameRange } from './rows-of-jobs.js';
import { greatest, least } from '../../shared/extremes.js';

/** Reads the annotations of one job, or of all jobs of a task, as JSON. Only a small part is in memory at a time. */
@Injectable()
export class AnnotationReader {
  constructor(
    private readonly db: Db,
    private readonly jobs: JobService,
    private readonly tasks: TaskService,
    private readonly annotated: AnnotatedTaskRepository,
    private readonly labels: LabelService,
    private readonly source: AnnotationSource,
    private readonly merged: MergedAnnotations,
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
      await this.write(snapshot, { ...task, jobs }, labels, frames, write);
    });
  }

  /**
   * Writes annotations that several jobs have on shared frames only once.
   * @param frames write the interpolated shape of each track for every one of these frames; by default only keyframes
   */
  private async write(
    snapshot: Snapshot,
    task: AnnotatedTask,
    labels: LabelIndex,
    frames: FrameRange | undefined,
    write: WriteText,
  ): Promise<void> {
    const text = new ReadText(labels);
    // What can fail comes first: an error after the first piece would cut off the response.
    const { tags, shapes, tracks: merged } = await this.withoutDuplicates(snapshot, task);
    await write(text.begin());
    for (const { batches } of tags) for await (const rows of batches) await write(text.tags(rows));
    for (const { batches } of shapes) {
      for await (const { rows, elementsOf } of batches) await write(text.shapes(rows, elementsOf));
    }
    for await (const tracks of merged) {
      if (frames === undefined) await write(text.tracks(tracks));
      else for (const piece of text.interpolatedTracks(tracks, ...frames)) await write(piece);
    }
    for await (const rows of this.source.intervals(snapshot, task.jobs)) await write(text.intervals(rows));
    await write(text.end());
  }

  /** @throws PlainError 400 if the jobs have too many similar annotations on shared frames */
  private async withoutDuplicates(snapshot: Snapshot, task: AnnotatedTask) {
    try {
      const [tags, shapes] = [await this.merged.tags(snapshot, task), await this.merged.shapes(snapshot, task)];
      return { tags, shapes, tracks: await this.merged.tracks(snapshot, task) };
    } catch (error) {
      if (!(error instanceof TooManyPairs)) throw error;
      throw new PlainError(400, `${error.message} The annotations of single jobs can still be read.`);
    }
  }
}

/** Limits the requested frames to those of the jobs. */
const framesOf = ({ jobs }: AnnotatedTask, { start = 0, stop = Infinity }: FrameWindow): readonly [number, number] => [
  Math.max(start, least(jobs.map((job) => job.start))),
  Math.min(stop, greatest(jobs.map((job) => job.stop))),
];
