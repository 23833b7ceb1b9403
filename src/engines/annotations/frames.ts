import type { LabeledData } from '../../shared/annotations/model.js';
import { sliceTrack } from './track-cutter.js';
import { AnnotationInvalid, type FaultBudget, FieldErrors, newFaultBudget } from './field-errors.js';

/** The last frame that PostgreSQL's ranges of integers can contain. Annotations stored in the past may name the next one. */
export const LAST_FRAME = 2 ** 31 - 2;

/**
 * Checks that all annotations are on frames of their task.
 * @param size the number of frames of the task
 * @throws AnnotationInvalid with errors that mirror the body: `{"shapes":[{},{"frame":["…"]}]}`
 */
export function checkFrames(data: LabeledData, size: number): void {
  const faults = newFaultBudget();
  const errors = new FieldErrors(faults);
  for (const field of ['tags', 'shapes', 'tracks'] as const) checkList(field, data[field], size, errors);
  const found = errors.take();
  if (found !== undefined) throw new AnnotationInvalid(found);
  checkIntervals(data, size);
}

/**
 * Checks that intervals lie in their task.
 * @throws AnnotationInvalid with the sentence that clients know
 */
export function checkIntervals({ intervals }: LabeledData, size: number): void {
  for (const { start, stop } of intervals) {
    if (start < size && (stop ?? 0) <= size) continue;
    const limits = `start must be within [0, ${size - 1}] and stop must be within [0, ${size}]`;
    throw new AnnotationInvalid([`Interval ${limits}, got [${start}, ${stop ?? 'None'}]`]);
  }
}

/** Leaves out what is not on frames of the task. Tracks keep their shapes on the frames that exist. */
export function onFramesOfTask(data: Partial<LabeledData>, size: number): Partial<LabeledData> {
  const { tags = [], shapes = [], tracks = [], intervals = [] } = data;
  const isIn = (object: OnFrame): boolean => faultsOf(object, false, size, newFaultBudget()) === undefined;
  return {
    tags: tags.filter(isIn),
    shapes: shapes.filter(isIn),
    tracks: tracks.flatMap((track) => (isIn(track) ? track : (sliceTrack(track, 0, size - 1) ?? []))),
    intervals: intervals
      .filter(({ start }) => start < size)
      .map((interval) => ((interval.stop ?? 0) <= size ? interval : { ...interval, stop: size })),
  };
}

/** The error for a frame that a task of `size` frames does not have. */
export const missingFrame = (frame: number, size: number): string =>
  `Frame ${frame} does not exist. The task has the frames 0 to ${size - 1}.`;

/** A tag, shape, track, element or keyframe. */
interface OnFrame {
  readonly frame: number;
  readonly outside?: boolean;
  readonly elements?: readonly OnFrame[];
  readonly shapes?: readonly OnFrame[];
}

type Field = 'tags' | 'shapes' | 'tracks' | 'elements';

/** @param isTrack the objects are the keyframes of a track */
function checkList(
  field: Field,
  objects: readonly OnFrame[],
  size: number,
  errors: FieldErrors,
  isTrack = false,
): void {
  const { budget } = errors;
  let found: Map<number, object> | undefined;
  for (let index = 0; index < objects.length && budget.left > 0; index++) {
    const object = objects[index];
    const faults = object && faultsOf(object, isTrack, size, budget);
    if (faults === undefined) continue;
    budget.left -= 1;
    (found ??= new Map()).set(index, faults);
  }
  if (found === undefined) return;
  const length = Math.max(...found.keys()) + 1;
  errors.add(
    field,
    Array.from({ length }, (_, index) => found.get(index) ?? {}),
  );
}

function faultsOf(object: OnFrame, isKeyframe: boolean, size: number, budget: FaultBudget): object | undefined {
  const { frame, outside, elements = [], shapes = [] } = object;
  // Clients hide an object from the frame after its last one.
  const end = isKeyframe && outside === true ? size + 1 : size;
  if (frame < end && elements.length === 0 && shapes.length === 0) return undefined;
  const errors = new FieldErrors(budget);
  if (frame >= end) errors.add('frame', [missingFrame(frame, size)]);
  checkList('shapes', shapes, size, errors, true);
  checkList('elements', elements, size, errors);
  return errors.take();
}
