import { absoluteFrame, type FrameSelection } from '../../engines/media/frames.js';
import type { SegmentWithJob } from './job-plan.js';

/**
 * The part of a task that its ground truth job is about: chosen frames of all of it, or the pool at its end.
 * @param frames task-relative, ascending
 */
export function groundTruthSegment(
  { mode, frames }: { readonly mode: 'gt' | 'gt_pool'; readonly frames: readonly number[] },
  selection: Pick<FrameSelection, 'start' | 'step' | 'size'>,
): SegmentWithJob {
  const [first = 0] = frames;
  return mode === 'gt_pool'
    ? { start: first, stop: selection.size - 1, type: 'range', frames: [], jobType: 'ground_truth' }
    : {
        start: 0,
        stop: selection.size - 1,
        type: 'specific_frames',
        frames: frames.map((frame) => absoluteFrame(selection, frame)),
        jobType: 'ground_truth',
      };
}
