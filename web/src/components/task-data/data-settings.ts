import type { components, DataParameters } from 'cairn-client';
import { InvalidInput } from '../../app/invalid-input';

export type ValidationMode = 'none' | 'gt' | 'gt_pool';
export type FrameSelection = components['schemas']['ValidationParams']['frame_selection_method'];

/** Selects frames for reference annotations. Counts are frames, or percentages with `isShare`. */
export interface ValidationSettings {
  readonly mode: ValidationMode;
  readonly selection: FrameSelection;
  readonly isShare: boolean;
  /** Of the task. */
  readonly frames: number | null;
  /** Of each job: with `random_per_job`, and how many honeypots with `gt_pool`. */
  readonly perJob: number | null;
  /** Image names for `manual`, one per line. */
  readonly names: string;
  readonly seed: number | null;
}

/** How a task is split into jobs and how its images are stored. Null leaves the choice to the server. */
export interface DataSettings {
  readonly imageQuality: number;
  readonly segmentSize: number | null;
  readonly overlap: number | null;
  readonly consensusReplicas: number | null;
  readonly chunkSize: number | null;
  readonly startFrame: number | null;
  readonly stopFrame: number | null;
  readonly frameStep: number | null;
  readonly sorting: NonNullable<DataParameters['sorting_method']>;
  readonly useCache: boolean;
  readonly useZipChunks: boolean;
  readonly validation: ValidationSettings;
}

export const NO_VALIDATION: ValidationSettings = {
  mode: 'none',
  selection: 'random_uniform',
  isShare: true,
  frames: 10,
  perJob: 10,
  names: '',
  seed: null,
};

export const DEFAULT_SETTINGS: DataSettings = {
  imageQuality: 70,
  segmentSize: null,
  overlap: null,
  consensusReplicas: null,
  chunkSize: null,
  startFrame: null,
  stopFrame: null,
  frameStep: null,
  sorting: 'natural',
  useCache: false,
  useZipChunks: false,
  validation: NO_VALIDATION,
};

/** @returns an error message for an overlap that the server would silently reduce to half of a job */
export function overlapProblem({ segmentSize, overlap }: DataSettings): string | undefined {
  if (overlap === null || segmentSize === null) return undefined;
  const most = Math.floor(segmentSize / 2);
  return overlap <= most ? undefined : `Use at most ${most}: half of the frames in a job.`;
}

/** @returns fields for creating the task @throws InvalidInput */
export function toTaskSettings(settings: DataSettings) {
  const { segmentSize, overlap, consensusReplicas } = settings;
  const problem = overlapProblem(settings);
  if (problem !== undefined) throw new InvalidInput({ overlap: problem });
  return {
    ...(segmentSize === null ? {} : { segment_size: segmentSize }),
    ...(overlap === null ? {} : { overlap }),
    ...(consensusReplicas === null ? {} : { consensus_replicas: consensusReplicas }),
  };
}

/** @returns fields for sending the task's data */
export function toDataParameters(settings: DataSettings): DataParameters {
  const { imageQuality, chunkSize, startFrame, stopFrame, frameStep, useCache, useZipChunks, validation } = settings;
  return {
    image_quality: imageQuality,
    sorting_method: sortingOf(settings),
    use_cache: useCache,
    use_zip_chunks: useZipChunks,
    ...(chunkSize === null ? {} : { chunk_size: chunkSize }),
    ...(startFrame === null ? {} : { start_frame: startFrame }),
    ...(stopFrame === null ? {} : { stop_frame: stopFrame }),
    ...(frameStep === null ? {} : { frame_filter: `step=${frameStep}` }),
    ...(validation.mode === 'none' ? {} : { validation_params: toValidationParameters(validation) }),
  };
}

/** Honeypots require random order: in any other, annotators could tell them apart. */
export const sortingOf = ({ sorting, validation }: DataSettings): DataSettings['sorting'] =>
  validation.mode === 'gt_pool' ? 'random' : sorting;

function toValidationParameters({ mode, selection, isShare, frames, perJob, names, seed }: ValidationSettings) {
  return {
    mode: mode as 'gt' | 'gt_pool',
    ...selectionParameters({ selection, isShare, frames, perJob, seed }),
    ...(selection === 'manual' ? { frames: linesOf(names) } : {}),
    ...(mode === 'gt_pool' ? amount('frames_per_job', perJob, isShare) : {}),
  };
}

/** @returns fields for the frame selection of validation, also for a ground truth job */
export function selectionParameters(
  choice: Pick<ValidationSettings, 'selection' | 'isShare' | 'frames' | 'perJob' | 'seed'>,
) {
  const { selection, isShare, frames, perJob, seed } = choice;
  return {
    frame_selection_method: selection,
    ...(selection === 'random_uniform' ? amount('frame', frames, isShare) : {}),
    ...(selection === 'random_per_job' ? amount('frames_per_job', perJob, isShare) : {}),
    ...(seed === null || selection === 'manual' ? {} : { random_seed: seed }),
  };
}

const amount = (name: 'frame' | 'frames_per_job', value: number | null, isShare: boolean): Record<string, number> =>
  isShare ? { [`${name}_share`]: (value ?? 0) / 100 } : { [`${name}_count`]: value ?? 0 };

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
