import { ApiError } from '../../core/http/errors.js';
import { AnnotationInvalid } from '../../engines/annotations/annotation-invalid.js';
import type { AnnotationAction, LabeledData } from '../../shared/annotations/model.js';
import { parseLargeLabeledData } from '../../engines/annotations/parse.js';

/** What a write does: PUT replaces, PATCH names its action. */
export type Change = 'replace' | AnnotationAction;

/** Reads the body of a write. @throws ApiError 400 that names every wrong field */
export function readInput(body: unknown, change: Change): Promise<LabeledData> {
  const action = change === 'replace' ? 'create' : change;
  return parseLargeLabeledData(body, { action }).catch(refuse);
}

/** Runs a check of the engine. @throws ApiError 400 with the errors that it found */
export function refusing<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  throw error instanceof AnnotationInvalid ? new ApiError(400, error.errors) : error;
}

/** Is there nothing to save? */
export const isEmpty = (data: LabeledData): boolean =>
  data.tags.length === 0 && data.shapes.length === 0 && data.tracks.length === 0 && data.intervals.length === 0;

/** Every label that annotations name. */
export function usedLabels(data: LabeledData): Set<number> {
  const labels = new Set<number>();
  for (const object of [data.tags, data.intervals].flat()) labels.add(object.label_id);
  for (const object of [data.shapes, data.tracks].flat()) {
    labels.add(object.label_id);
    for (const element of object.elements) labels.add(element.label_id);
  }
  return labels;
}
