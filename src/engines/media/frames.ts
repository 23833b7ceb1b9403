import { MediaError } from './media-error.js';

/**
 * Which source frames a task has. A task frame r (0 … size − 1) is the source frame `start + r·step`: jobs,
 * annotations and the `number` parameters use r ("relative"), start_frame, stop_frame and included_frames use the
 * source number ("absolute").
 */
export interface FrameSelection {
  start: number;
  step: number;
  /** Number of task frames, at least 1. */
  size: number;
  /** Absolute, inclusive: what is stored as stop_frame. */
  stop: number;
}

export interface FrameRequest {
  /** Number of source frames. */
  count: number;
  start?: number;
  /** Inclusive. Absent and 0 both mean: to the end. */
  stop?: number;
  step?: number;
}

/**
 * The frames of a task made of images: start, start+step, … up to the effective stop, which is `stop` if given and not
 * 0, capped to the last source frame. The stored stop is min(given, start + (size − 1)·step).
 * @throws MediaError `AssertionError` when nothing is left
 */
export function selectImageFrames({ count, start = 0, stop, step = 1 }: FrameRequest): FrameSelection {
  const last = count - 1;
  const effectiveStop = stop ? Math.min(stop, last) : last;
  if (start > effectiveStop) {
    throw new MediaError(`AssertionError: The start frame ${start} is beyond the last of the images, ${effectiveStop}`);
  }
  const size = Math.floor((effectiveStop - start) / step) + 1;
  return { start, step, size, stop: start + (size - 1) * step };
}

/**
 * The frames of a task made of a video: start, start+step, … below min(stop + 1, count); no stop or 0: to the end.
 * @param request with the name of the video, in quotes, for errors
 * @throws MediaError when nothing is left
 */
export function selectVideoFrames(request: FrameRequest & { name: string }): FrameSelection {
  const { count, start = 0, name } = request;
  if (start < count) return selectImageFrames(request);
  throw new MediaError(`ValueError: The start frame ${start} is beyond the last frame of ${name}, ${count - 1}`);
}

/** Task frame -> source frame. */
export function absoluteFrame(selection: Pick<FrameSelection, 'start' | 'step'>, relative: number): number {
  return selection.start + relative * selection.step;
}

/** Source frame -> task frame, or null for one that the task leaves out. */
export function relativeFrame(selection: FrameSelection, absolute: number): number | null {
  const relative = (absolute - selection.start) / selection.step;
  return Number.isInteger(relative) && relative >= 0 && relative < selection.size ? relative : null;
}

/**
 * The step in a `frame_filter`: 1 for an empty one, N for one that contains `step=N` with N ≥ 1 (blanks around `=`
 * allowed), null for every other text.
 */
export function parseFrameStep(frameFilter: string): number | null {
  if (frameFilter.trim() === '') return 1;
  const digits = /step\s*=\s*([1-9]\d*)/.exec(frameFilter)?.[1];
  const step = Number(digits);
  return Number.isSafeInteger(step) ? step : null;
}
