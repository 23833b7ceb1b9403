import type { RandomSource } from '../../engines/media/random.js';
import { countOfShare, drawPerJob, drawUniform } from '../../engines/media/validation-frames.js';
import { Invalid, InvalidList } from '../../core/http/errors.js';
import type { CreateJobDto } from './ground-truth.dto.js';

/** The frames to select from; frame numbers are task-relative. */
export interface FrameSource {
  /** Frames of the task. */
  readonly size: number;
  /** Frames of a job. */
  readonly segmentSize: number;
  /** Frames of the annotation jobs, in order. */
  readonly segments: readonly { readonly start: number; readonly stop: number }[];
}

type Method = NonNullable<CreateJobDto['frame_selection_method']>;

/** The parameters of each method. */
const PAIRS = {
  random_uniform: ['frame_count', 'frame_share'],
  random_per_job: ['frames_per_job_count', 'frames_per_job_share'],
} as const;

/**
 * Checks which parameters are given together.
 * @throws Invalid
 */
export function requireConsistent(dto: CreateJobDto): Method {
  const method = dto.frame_selection_method;
  if (method === undefined) throw new Invalid({ frame_selection_method: ['This field is required.'] });
  for (const name of ['frame_share', 'frames_per_job_share'] as const) {
    const share = dto[name];
    if (share !== undefined && (share < 0 || share > 1))
      throw new Invalid({ [name]: ['Value must be in the range [0; 1]'] });
  }
  requireOwn(dto, method, ['frames'], 'manual');
  requireOwn(dto, method, PAIRS.random_uniform, 'random_uniform');
  requireOwn(dto, method, PAIRS.random_per_job, 'random_per_job');
  if (method === 'manual') {
    if (dto.frames === undefined) throw crossField('The "frames" field is required');
  } else {
    requireOne(dto, PAIRS[method]);
  }
  if (dto.seed !== undefined && dto.random_seed !== undefined) throw onlyOne(['random_seed', 'seed']);
  return method;
}

/**
 * Selects frames.
 * @param dto checked by `requireConsistent`
 * @returns ascending frame numbers
 * @throws InvalidList for frames that the task does not have
 */
export function chooseFrames(dto: CreateJobDto, source: FrameSource, random: RandomSource): number[] {
  const choose = { manual: named, random_uniform: uniform, random_per_job: perJob }[requireConsistent(dto)];
  return choose(dto, source, random).toSorted((a, b) => a - b);
}

function named({ frames = [] }: CreateJobDto, { size }: FrameSource): number[] {
  if (new Set(frames).size !== frames.length) throw new InvalidList('Frames must not repeat');
  const unknown = frames.filter((frame) => frame >= size).toSorted((a, b) => a - b);
  if (unknown.length > 0) throw new InvalidList(`The following frames do not exist in the task: ${unknown.join(', ')}`);
  return frames;
}

function uniform(
  { frame_count: asked, frame_share: share = 0, seed }: CreateJobDto,
  { size }: FrameSource,
  random: RandomSource,
): number[] {
  if (asked !== undefined && asked > size) throw tooMany(asked, 'number of the task frames', size);
  const count = asked ?? countOfShare(share, size);
  // With the deprecated `seed`, the last frame is never drawn unless all are.
  return drawUniform(seed !== undefined && count < size ? size - 1 : size, count, random);
}

function perJob(dto: CreateJobDto, { size, segmentSize, segments }: FrameSource, random: RandomSource): number[] {
  const { frames_per_job_count: count, frames_per_job_share: share = 0 } = dto;
  if (count !== undefined && count > segmentSize) throw tooMany(count, 'segment size', segmentSize);
  return drawPerJob(segments, count ?? Math.min(countOfShare(share, segmentSize), size), random);
}

function requireOwn(dto: CreateJobDto, method: Method, names: readonly (keyof CreateJobDto)[], owner: Method): void {
  const foreign = method === owner ? undefined : names.find((name) => dto[name] !== undefined);
  if (foreign !== undefined)
    throw crossField(`"${foreign}" can only be used when "frame_selection_method" is "${owner}"`);
}

function requireOne(dto: CreateJobDto, names: readonly (keyof CreateJobDto)[]): void {
  const given = names.filter((name) => dto[name] !== undefined);
  if (given.length === 0) throw crossField(`One of the fields ${quoted(names)} required`);
  if (given.length > 1) throw onlyOne(names);
}

const onlyOne = (names: readonly string[]): Invalid => crossField(`Only 1 of the fields ${quoted(names)} can be used`);
const crossField = (text: string): Invalid => new Invalid({ non_field_errors: [text] });
const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

const tooMany = (wanted: number, what: string, limit: number): InvalidList =>
  new InvalidList(`The number of frames requested (${wanted}) must be not be greater than the ${what} (${limit})`);
