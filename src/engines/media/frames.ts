import { MediaError } from './media-error.js';

/**
 * Selects source frames for a task. A task frame r (0 … size − 1) is the source frame `start + r·step`. Jobs,
 * annotations and the `number` parameters use r ("relative"); start_frame, stop_frame and included_frames use the
 * source number ("absolute").
 */
export interface FrameSelection {
  start: number;
  step: number;
  /** Number of task frames, at least 1. */
  size: number;
  /** Absolute, inclusive: stored as stop_frame. */
  stop: number;
}

export interface FrameRequest {
  /** Number of source frames. */
  count: number;
  start?: number;
  /** Inclusive. Absent and 0 both mean the last frame. */
  stop?: number;
  step?: number;
}

/**
 * Selects the frames of an image task: start, start+step, … up to `stop`, or to the last source frame if `stop` is
 * absent, 0 or larger. The stored stop is min(given, start + (size − 1)·step).
 * @throws MediaError `AssertionError` if no frames are selected
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
 * Selects the frames of a video task: start, start+step, … below min(stop + 1, count). An absent or zero stop means the
 * end.
 * @param request with the name of the video, in quotes, for errors
 * @throws MediaError if no frames are selected
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

/** Source frame -> task frame, or null if the task does not include it. */
export function relativeFrame(selection: FrameSelection, absolute: number): number | null {
  const relative = (absolute - selection.start) / selection.step;
  return Number.isInteger(relative) && relative >= 0 && relative < selection.size ? relative : null;
}

/**
 * Parses the step in a `frame_filter`: 1 for an empty one, N if it contains `step=N` with N ≥ 1 (blanks around `=`
 * allowed), null for any other text.
 */
export function parseFrameStep(frameFilter: string): number | null {
  if (frameFilter.trim() === '') return 1;
  const digits = /step\s*=\s*([1-9]\d*)/.exec(frameFilter)?.[1];
  const step = Number(digits);
  return Number.isSafeInteger(step) ? step : null;
}
