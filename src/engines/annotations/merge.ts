import { emptyData, type LabeledData } from '../../shared/annotations/model.js';
import type { Steps } from '../concurrency/steps.js';
import { duplicateShapes, duplicateTags, type Overlap } from './duplicates.js';
import { TrackMerger } from './track-merger.js';

export interface JobPart extends Overlap {
  readonly data: LabeledData;
}

/**
 * Merges what was saved in a task's jobs, for the response. Duplicates on frames that two jobs share appear once, from the
 * first job. If comparing them would take far too long, those that are not equal appear twice.
 * @param parts the jobs; `overlap` is that of the task, also for the first job, where it has no effect
 */
export function* mergeParts(parts: readonly JobPart[], options: { readonly is3d: boolean }): Steps<LabeledData> {
  const merged = emptyData();
  const tags = duplicateTags();
  const shapes = duplicateShapes(options, 'keep');
  const tracks = new TrackMerger(options.is3d, 'keep');
  for (const part of parts.toSorted((a, b) => a.start - b.start)) {
    const { data } = part;
    const knownTags = yield* tags.admit(part, data.tags);
    for (const tag of data.tags) if (!knownTags.has(tag)) merged.tags.push(tag);
    const knownShapes = yield* shapes.admit(part, data.shapes);
    for (const shape of data.shapes) if (!knownShapes.has(shape)) merged.shapes.push(shape);
    yield* tracks.add(data.tracks, part);
    for (const interval of data.intervals) merged.intervals.push(interval);
  }
  merged.tracks = [...tracks.tracks];
  return merged;
}
