import { etagOf } from '../../core/http/etag.js';
import type { LabelIndex } from '../../engines/annotations/labels.js';
import type { AnnotatedTask, Target } from './annotated-task.repository.js';

/**
 * Entity tag of annotations: of everything that the JSON of a read depends on, without reading a single one of them.
 */
export function annotationTag(target: Target, task: AnnotatedTask, labels: LabelIndex): string {
  const { id, size, dimension, overlap, jobs } = task;
  return etagOf(JSON.stringify([target, id, size, dimension, overlap, jobs, labels.all()]));
}
