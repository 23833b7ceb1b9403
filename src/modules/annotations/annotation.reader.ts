import { Inject, Injectable } from '@nestjs/common';
import type { Snapshot } from '../../core/database/snapshot.js';
import type { WriteText } from '../../core/http/stream-json.js';
import type { LabelIndex } from '../../engines/annotations/labels.js';
import { ReadText } from '../../engines/annotations/read-text.js';
import type { AnnotatedTask } from './annotated-task.repository.js';
import { AnnotationSource } from './annotation.source.js';
import { MergedAnnotations } from './merged-annotations.js';
import type { FrameRange } from './rows-of-jobs.js';

/** Writes annotations of jobs as the JSON of a read, with little of it in memory at any time. */
@Injectable()
export class AnnotationReader {
  constructor(
    @Inject(AnnotationSource) private readonly source: AnnotationSource,
    @Inject(MergedAnnotations) private readonly merged: MergedAnnotations,
  ) {}

  /**
   * What several jobs have annotated alike on frames that they share is written once.
   * @param frames where tracks are written with all their shapes, keyframes or not
   */
  async write(
    snapshot: Snapshot,
    task: AnnotatedTask,
    labels: LabelIndex,
    frames: FrameRange | undefined,
    write: WriteText,
  ): Promise<void> {
    const text = new ReadText(labels);
    await write(text.begin());
    for (const { pieces } of await this.merged.tags(snapshot, task)) {
      for await (const rows of pieces) await write(text.tags(rows));
    }
    for (const { pieces } of await this.merged.shapes(snapshot, task)) {
      for await (const { rows, elementsOf } of pieces) await write(text.shapes(rows, elementsOf));
    }
    for await (const tracks of this.merged.tracks(snapshot, task)) {
      if (frames === undefined) await write(text.tracks(tracks));
      else for (const piece of text.interpolatedTracks(tracks, ...frames)) await write(piece);
    }
    for await (const rows of this.source.intervals(snapshot, task.jobs)) await write(text.intervals(rows));
    await write(text.end());
  }
}
