import { validationFailure } from '../../../engines/media/media-error.js';
import { type FrameSelection, parseFrameStep, selectImageFrames } from '../../../engines/media/frames.js';
import type { RandomSource } from '../../../engines/media/random.js';
import { type FrameRange, planMappedSegments, planSegments } from '../../../engines/media/segments.js';
import { sortFiles, type SortingMethod } from '../../../engines/media/sorting.js';

/** The parameters that determine the frames of an image task. */
export interface FramePlanInput {
  /** Candidate images, in the order of upload or of the archive. */
  readonly files: readonly string[];
  readonly sorting: SortingMethod;
  /** For predefined sorting, the requested order; null keeps the order of `files`. */
  readonly order: readonly string[] | null;
  readonly mapping: readonly (readonly string[])[] | null;
  readonly startFrame: number;
  /** 0: up to the last frame. */
  readonly stopFrame: number;
  readonly frameFilter: string;
  readonly segmentSize: number;
  readonly overlap: number | null;
}

export interface FramePlan {
  /** The task's frames, in order. */
  readonly frames: readonly string[];
  readonly selection: FrameSelection;
  readonly segmentSize: number;
  readonly overlap: number;
  readonly segments: readonly FrameRange[];
}

/**
 * Sorts the files, selects the frames and divides them into segments.
 * @throws MediaError for parameters that contradict each other or select no frames
 */
export function planFrames(input: FramePlanInput, random: RandomSource): FramePlan {
  return input.mapping === null ? planBySize(input, random) : planByMapping(input, input.mapping);
}

function planBySize(input: FramePlanInput, random: RandomSource): FramePlan {
  const sorted = sortFiles(input.files, input.sorting, {
    random,
    ...(input.order === null ? {} : { order: input.order }),
  });
  const selection = selectImageFrames({
    count: sorted.length,
    start: input.startFrame,
    stop: input.stopFrame,
    step: parseFrameStep(input.frameFilter) ?? 1,
  });
  const frames = Array.from({ length: selection.size }, (_, r) => sorted[selection.start + r * selection.step] ?? '');
  const { segmentSize, overlap } = input;
  return { frames, selection, ...planSegments({ size: selection.size, segmentSize, overlap, mode: 'annotation' }) };
}

function planByMapping(input: FramePlanInput, mapping: readonly (readonly string[])[]): FramePlan {
  if (mapping.length === 0) throw validationFailure('job_file_mapping cannot be empty');
  const clash =
    input.segmentSize !== 0
      ? 'segment_size'
      : input.sorting !== 'lexicographical'
        ? 'sorting_method'
        : input.startFrame !== 0
          ? 'start_frame'
          : input.stopFrame !== 0
            ? 'stop_frame'
            : input.frameFilter !== ''
              ? 'frame_filter'
              : undefined;
  if (clash !== undefined) throw validationFailure(`job_file_mapping cannot be used with ${clash}`);
  const { files: frames, ...plan } = planMappedSegments(mapping, input.files);
  return { frames, selection: selectImageFrames({ count: frames.length }), ...plan };
}
