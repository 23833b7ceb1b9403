import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { comparingFrame } from '../../engines/annotations/assignment.js';
import { finishWithPauses } from '../../engines/concurrency/steps.js';
import { Turns } from '../../engines/concurrency/turns.js';
import { JobAgreement } from '../../engines/consensus/agreement.js';
import { type MergedFrame, type MergeSettings, ReplicaMerge } from '../../engines/consensus/merge.js';
import type { FrameObject, JobFrames, QualityLabel } from '../../engines/quality/frame-objects.js';
import { sublabelsOf } from '../../engines/quality/similarity.js';
import { emptyData, type LabeledData } from '../../shared/annotations/model.js';
import { JobAnnotations, type TaskFrames } from '../annotations/index.js';
import { annotatorKey, type ConsensusTask, type ReplicatedJob } from './merge.repository.js';

/** Tags and shapes in one batch of merged annotations, and tracks. */
const BATCH = 1_000;
const TRACKS_AT_ONCE = 50;

/** Reads the annotations of replicas, and computes with them. */
@Injectable()
export class Replicas {
  constructor(private readonly annotations: JobAnnotations) {}

  /** @param signal stops the work between two frames */
  async open(tx: Tx, task: ConsensusTask, signal: AbortSignal): Promise<ReplicasOfTask> {
    const [labels, frames] = await Promise.all([
      this.annotations.labelsOf(tx, task),
      this.annotations.framesOf(tx, task.id),
    ]);
    return new ReplicasOfTask(this.annotations, await tx.reader(), { labels, frames, turns: new Turns(signal) });
  }
}

interface Context {
  readonly labels: readonly QualityLabel[];
  readonly frames: TaskFrames;
  readonly turns: Turns;
}

/** The replicas of a task as they were when their revisions were read. */
export class ReplicasOfTask {
  constructor(
    private readonly annotations: JobAnnotations,
    private readonly reader: Snapshot,
    private readonly context: Context,
  ) {}

  /** What the replicas of a job have in common, in batches of bounded size. */
  async *merged(job: ReplicatedJob, settings: MergeSettings): AsyncGenerator<LabeledData> {
    const merge = new ReplicaMerge(settings, job.replicas.length, this.context.labels);
    let data = emptyData();
    for await (const frame of this.frames(job)) {
      const steps = comparingFrame(frame.frame, merge.frame(frame));
      const { tags, shapes } = await finishWithPauses(steps, this.context.turns.pause);
      for (const tag of tags) data.tags.push(tag);
      for (const shape of shapes) data.shapes.push(shape);
      if (data.tags.length + data.shapes.length < BATCH) continue;
      yield data;
      data = emptyData();
    }
    yield data;
    const tracks = merge.tracks();
    while (tracks.length > 0) yield { ...emptyData(), tracks: tracks.splice(0, TRACKS_AT_ONCE) };
  }

  /** How far the annotators of a job agree. */
  async agreement(job: ReplicatedJob, iouThreshold: number): Promise<JobAgreement> {
    const sublabels = sublabelsOf(this.context.labels);
    const agreement = new JobAgreement(job.id, job.replicas.map(annotatorKey), { iouThreshold, sublabels });
    for await (const frame of this.frames(job)) {
      await finishWithPauses(comparingFrame(frame.frame, agreement.add(frame)), this.context.turns.pause);
    }
    return agreement;
  }

  /** The annotations of all replicas on each frame of a job that is not deleted. */
  private async *frames(job: ReplicatedJob): AsyncGenerator<MergedFrame> {
    const { labels, frames, turns } = this.context;
    const replicas: JobFrames[] = [];
    for (const { id, revision } of job.replicas) {
      replicas.push(await this.annotations.read(this.reader, { id, at: revision }, labels, turns.take));
    }
    for (let frame = job.start; frame <= job.stop; frame += 1) {
      await turns.take();
      if (frames.deleted.has(frame)) continue;
      const objects: FrameObject[][] = [];
      for (const replica of replicas) objects.push(await finishWithPauses(replica.steps(frame), turns.pause));
      yield { frame, size: frames.sizeOf(frame), replicas: objects };
    }
  }
}
