import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll } from '../../core/access/require.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { InvalidList, NotFound, Invalid } from '../../core/http/errors/errors.js';
import { namedId } from '../../core/http/request/ids.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { parseFrameStep } from '../../engines/media/frames.js';
import { mersenneTwister, type RandomSource } from '../../engines/media/random.js';
import type { Actor } from '../../shared/policy/actor.js';
import { jobPolicy } from '../../shared/policy/job.policy.js';
import {
  factsOf,
  groundTruthSegment,
  JobCreation,
  JobDeletion,
  type JobDto,
  JobRepository,
  toJob,
} from '../jobs/index.js';
import { TaskRepository } from '../tasks/index.js';
import { countOfShare, drawPerJob, drawUniform } from '../../engines/media/validation-frames.js';
import type { CreateJobDto } from './validation.dto.js';
import { type GroundTruthTask, ValidationRepository } from './validation.repository.js';
import { greatest } from '../../shared/extremes.js';

const UNKNOWN_TASK = 'Task matching query does not exist.';

/** Creates ground truth jobs, which the annotations of the other jobs are compared with. */
@Injectable()
export class GroundTruthCreation {
  constructor(
    private readonly work: UnitOfWork,
    private readonly jobs: JobRepository,
    private readonly tasks: TaskRepository,
    private readonly validation: ValidationRepository,
    private readonly creation: JobCreation,
    private readonly people: ReferencedUsers,
  ) {}

  create(actor: Actor, body: Unvalidated<CreateJobDto>): Promise<JobDto> {
    const taskId = taskIdOf(body.raw['task_id']);
    return this.work.run(async (tx) => {
      const facts = await this.tasks.facts(tx, taskId, actor.id);
      if (facts === undefined) throw new InvalidList(UNKNOWN_TASK);
      requireAll(jobPolicy, ['create'], actor, { assigneeId: null, task: facts });
      await this.people.require(tx, actor, facts.organization, [body.raw['assignee']]);
      const dto = body.validate();
      if (dto.type !== 'ground_truth') throw new InvalidList(`Unexpected job type '${dto.type}'`);
      requireConsistent(dto);
      await this.tasks.lock(tx, taskId);
      const [id = 0] = await this.insert(tx, actor, taskId, dto);
      const row = await this.jobs.find(tx, id, actor.id);
      if (row === undefined) throw NotFound.of('Job');
      return toJob(row, actor);
    });
  }

  private async insert(tx: Tx, actor: Actor, taskId: number, dto: CreateJobDto): Promise<number[]> {
    const task = requireUsable(await this.validation.groundTruthTask(tx, taskId));
    const longest = Math.max(0, greatest(task.segments.map((segment) => segment.stop - segment.start + 1)));
    const source = { size: task.size, segmentSize: task.segment_size || longest, segments: task.segments };
    const frames = chooseFrames(dto, source, mersenneTwister(dto.random_seed ?? dto.seed ?? randomInt(2 ** 32)));
    await this.validation.setLayout(tx, taskId, 'gt', { frames_per_job_count: null, frames, disabled_frames: [] });
    const selection = {
      start: task.start_frame ?? 0,
      step: parseFrameStep(task.frame_filter ?? '') ?? 1,
      size: task.size,
    };
    const segment = {
      ...groundTruthSegment({ mode: 'gt', frames }, selection),
      assigneeId: dto.assignee ?? null,
      stage: dto.stage ?? 'annotation',
      state: dto.state ?? 'new',
    };
    return this.creation.createForTask(tx, actor, taskId, [segment], 0);
  }
}

/** Deletes ground truth jobs. */
@Injectable()
export class GroundTruthDeletion {
  constructor(
    private readonly work: UnitOfWork,
    private readonly jobs: JobRepository,
    private readonly validation: ValidationRepository,
    private readonly deletion: JobDeletion,
    private readonly preconditions: Preconditions,
  ) {}

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      await this.deletion.lock(tx, [id]);
      const [row] = await this.jobs.lockWithTasks(tx, [id], actor.id);
      if (row === undefined) throw NotFound.of('Job');
      requireAll(jobPolicy, ['delete'], actor, factsOf(row));
      if (row.type !== 'ground_truth') throw new InvalidList('Only ground truth jobs can be removed');
      const task = await this.validation.groundTruthTask(tx, row.task_id);
      if (task?.validation_mode === 'gt_pool') {
        throw new InvalidList('Ground truth jobs cannot be removed when the task validation mode is "gt_pool"');
      }
      await this.preconditions.require(tx, 'job', toJob(row, actor));
      await this.deletion.record(tx, actor, [row.id]);
      await this.jobs.deleteSegment(tx, row.segment_id);
      await this.validation.setLayout(tx, row.task_id, null, null);
    });
  }
}

function taskIdOf(value: unknown): number {
  if (value === undefined || value === null) throw new InvalidList('task_id is not specified');
  const id = namedId(value);
  if (id === undefined) throw new InvalidList('"task_id" must be an integer');
  if (id === 0) throw new InvalidList(UNKNOWN_TASK);
  return id;
}

/** @throws InvalidList for a task that cannot have a ground truth job */
function requireUsable(task: GroundTruthTask | undefined): GroundTruthTask & { readonly size: number } {
  if (task === undefined) throw new InvalidList(UNKNOWN_TASK);
  const { size } = task;
  if (size === null || size === 0) {
    throw new InvalidList('This task has no data attached yet. Please set up task data and try again');
  }
  if (task.dimension !== '2d') throw new InvalidList('Ground Truth jobs can only be added in 2d tasks');
  if (task.validation_mode !== null) {
    throw new InvalidList(`Task with validation mode "${task.validation_mode}" cannot have more than 1 GT job`);
  }
  return { ...task, size };
}

/** The frames to select from; frame numbers are task-relative. */
interface FrameSource {
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
function requireConsistent(dto: CreateJobDto): Method {
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
