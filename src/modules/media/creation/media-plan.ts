import { randomInt } from 'node:crypto';
import { validationFailure } from '../../../engines/media/media-error.js';
import { mersenneTwister, type RandomSource } from '../../../engines/media/random.js';
import { sortNaturally, sortFiles, type SortingMethod } from '../../../engines/media/sorting.js';
import { countOfShare, drawPerJob, drawUniform, planPool } from '../../../engines/media/validation-frames.js';
import type { CreationParameters } from '../upload/task-data.service.js';
import type { ValidationParamsDto } from '../upload/data-parameters.js';
import type { ChunkType } from '../reading/media-source.repository.js';
import type { Sources } from './source-files.js';
import { type FrameSelection, parseFrameStep, selectImageFrames } from '../../../engines/media/frames.js';
import { type FrameRange, planMappedSegments, planSegments } from '../../../engines/media/segments.js';
import { greatest } from '../../../shared/extremes.js';

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

/** The validation frames of a task. Task-relative. */
export interface ValidationPlan {
  readonly mode: 'gt' | 'gt_pool';
  /** Honeypots per job, or the requested number per job; null otherwise. */
  readonly framesPerJob: number | null;
  /** Ascending. With gt_pool, all of them are at the end of the task. */
  readonly frames: readonly number[];
}

export interface CheckedPlan extends FramePlan {
  readonly validation: ValidationPlan;
  /** For each frame, the pool frame that it repeats; only with gt_pool. */
  readonly real?: readonly (number | null)[];
}

/** Other properties that determine whether a task can have validation frames. */
export interface CheckedTask {
  readonly mode: 'annotation' | 'interpolation';
  readonly dimension: '2d' | '3d';
  readonly sorting: string;
  readonly isMapped: boolean;
}

/** The seed of all random choices in a task: its frame order and its validation frames. */
export const seedOf = ({ validation_params: params }: CreationParameters): number =>
  params?.random_seed ?? randomInt(2 ** 32);

/** Adds validation frames to the plan, if they are requested. */
export function withValidation(
  plan: FramePlan,
  task: Omit<CheckedTask, 'isMapped'>,
  { validation_params: params, job_file_mapping: mapping }: CreationParameters,
  seed: number,
): FramePlan | CheckedPlan {
  if (params == null) return plan;
  return planValidation(plan, params, { ...task, isMapped: mapping !== null }, seed);
}

/**
 * Selects the validation frames of a task. With gt_pool this changes the task's frames and jobs, see `planPool`.
 * @param params validated by `requireValidation`
 * @throws MediaError for parameters that do not fit the task's files
 */
export function planValidation(
  plan: FramePlan,
  params: ValidationParamsDto,
  task: CheckedTask,
  seed: number,
): CheckedPlan {
  if (task.dimension !== '2d') throw validationFailure('Ground Truth jobs can only be added in 2d tasks');
  return params.mode === 'gt' ? planGroundTruth(plan, params, task, seed) : planHoneypots(plan, params, task, seed);
}

function planGroundTruth(plan: FramePlan, params: ValidationParamsDto, task: CheckedTask, seed: number): CheckedPlan {
  if (params.frame_selection_method !== 'random_per_job') {
    const frames = chooseFrames(plan, params, task, mersenneTwister(seed));
    return { ...plan, validation: { mode: 'gt', framesPerJob: null, frames } };
  }
  const longest = Math.max(0, greatest(plan.segments.map(({ start, stop }) => stop - start + 1)));
  const perJob = framesPerJob(params, plan.segmentSize || longest);
  const frames = drawPerJob(plan.segments, perJob, mersenneTwister(seed));
  return { ...plan, validation: { mode: 'gt', framesPerJob: perJob, frames } };
}

function planHoneypots(plan: FramePlan, params: ValidationParamsDto, task: CheckedTask, seed: number): CheckedPlan {
  if (task.sorting !== 'random') {
    throw validationFailure('validation mode "gt_pool" can only be used with "random" sorting');
  }
  if (task.mode !== 'annotation') {
    throw validationFailure('validation mode "gt_pool" can only be used with "annotation" mode tasks');
  }
  if (task.isMapped) throw validationFailure('validation mode "gt_pool" cannot be used with job_file_mapping');
  const { size } = plan.selection;
  // The frames are in random order. Sorting them first makes the same seed select the same frames.
  const sorted = sortNaturally(plan.frames);
  const random = mersenneTwister(seed);
  const chosen = chooseFrames({ ...plan, frames: sorted }, params, task, random);
  const others = size - chosen.length;
  const segmentSize = Math.min(plan.segmentSize, others);
  const perJob = framesPerJob(params, segmentSize);
  const { order, real, segments, pool } = planPool(
    { size, pool: chosen, segmentSize, perJob },
    random,
    mersenneTwister(seed),
  );
  const frames = Array.from({ length: chosen.length }, (_, index) => pool.start + index);
  return {
    frames: order.map((index) => sorted[index] ?? ''),
    real,
    selection: { start: 0, step: 1, size: order.length, stop: order.length - 1 },
    segmentSize: 0,
    overlap: 0,
    segments,
    validation: { mode: 'gt_pool', framesPerJob: perJob, frames },
  };
}

/** Ascending. */
function chooseFrames(plan: FramePlan, params: ValidationParamsDto, task: CheckedTask, random: RandomSource): number[] {
  const { size } = plan.selection;
  if (params.frame_selection_method === 'manual') return namedFrames(plan.frames, params.frames ?? [], task);
  const count = params.frame_count ?? countOfShare(params.frame_share ?? 0, size);
  if (count > size) {
    throw validationFailure(
      `The number of validation frames requested (${count}) is greater that the number of task frames (${size})`,
    );
  }
  return drawUniform(size, count, random);
}

function namedFrames(frames: readonly string[], names: readonly string[], { mode }: CheckedTask): number[] {
  if (mode !== 'annotation') throw validationFailure('Validation frames can only be named in tasks of images');
  if (names.length === 0) throw validationFailure('No validation frames requested');
  const byName = new Map(frames.map((name, index) => [name, index]));
  const unknown = names.filter((name) => !byName.has(name));
  if (unknown.length > 0) throw validationFailure(`Unknown validation frames requested: ${unknown.join(', ')}`);
  return names.map((name) => byName.get(name) ?? 0).toSorted((a, b) => a - b);
}

/** @param segmentSize frames of a job */
function framesPerJob(params: ValidationParamsDto, segmentSize: number): number {
  const { frames_per_job_count: count, frames_per_job_share: share } = params;
  if (count === undefined || count === null) return Math.min(countOfShare(share ?? 0, segmentSize), segmentSize);
  if (params.mode === 'gt' && count > segmentSize) {
    throw validationFailure(
      `The number of validation frames requested (${count}) is greater than the segment size (${segmentSize})`,
    );
  }
  return count;
}

/** Everything known about a task before it is saved. */
export interface PreparedTask {
  readonly dataId: number;
  /** Where the images are stored. */
  readonly storage: Sources['storage'];
  /** Null: derived from the size of the first frame. */
  readonly chunkSize: number | null;
  /** `interpolation` for a video. */
  readonly mode: 'annotation' | 'interpolation';
  readonly dimension: '2d' | '3d';
  readonly compressedType: ChunkType;
  readonly originalType: ChunkType;
  readonly plan: Omit<FramePlan, 'frames'> & Partial<Pick<CheckedPlan, 'validation' | 'real'>>;
  /** One per frame; for a video, only the video itself. */
  readonly images: readonly {
    readonly path: string;
    readonly width: number;
    readonly height: number;
    readonly related: readonly string[];
  }[];
}
