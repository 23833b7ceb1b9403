import { duplicateShapes, duplicateTags } from './merge-shapes.js';
import type { Overlap } from './merge-shapes.js';
import { mergeTracks } from './merge-tracks.js';
import type { LabeledData } from '../../shared/annotations/model.js';
import { emptyData } from '../../shared/annotations/model.js';

export interface JobPart extends Overlap {
  data: LabeledData;
}

/**
 * Joins the annotations of the jobs of a task: what two jobs have annotated alike on frames that they share appears
 * once, from the job that comes first.
 * @param parts the jobs; `overlap` is the task's, also for the first one, where it has no effect
 */
export function mergeParts(parts: readonly JobPart[], options: { is3d: boolean }): LabeledData {
  const merged = emptyData();
  const tags = duplicateTags();
  const shapes = duplicateShapes(options);
  for (const part of parts.toSorted((a, b) => a.start - b.start)) {
    const { data } = part;
    const knownTags = tags.admit(part, data.tags);
    for (const tag of data.tags) if (!knownTags.has(tag)) merged.tags.push(tag);
    const knownShapes = shapes.admit(part, data.shapes);
    for (const shape of data.shapes) if (!knownShapes.has(shape)) merged.shapes.push(shape);
    merged.tracks = mergeTracks(merged.tracks, data.tracks, { ...part, ...options });
    for (const interval of data.intervals) merged.intervals.push(interval);
  }
  return merged;
}
