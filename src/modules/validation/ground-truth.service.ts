import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll } from '../../core/access/require.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body.js';
import { InvalidList, NotFound } from '../../core/http/errors.js';
import { namedId } from '../../core/http/named-id.js';
import { Preconditions } from '../../core/http/preconditions.js';
import { parseFrameStep } from '../../engines/media/frames.js';
import { mersenneTwister } from '../../engines/media/random.js';
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
import type { CreateJobDto } from './ground-truth.dto.js';
import { chooseFrames, requireConsistent } from './ground-truth-frames.js';
import { type GroundTruthTask, ValidationRepository } from './validation.repository.js';

const UNKNOWN_TASK = 'Task matching query does not exist.';

/** Creates and deletes ground truth jobs, which the annotations of the other jobs are compared with. */
@Injectable()
export class GroundTruthService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly jobs: JobRepository,
    private readonly tasks: TaskRepository,
    private readonly validation: ValidationRepository,
    private readonly creation: JobCreation,
    private readonly deletion: JobDeletion,
    private readonly people: ReferencedUsers,
    private readonly preconditions: Preconditions,
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

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      await this.deletion.lock(tx, [id]);
      await this.jobs.lockWithTasks(tx, [id]);
      const row = await this.jobs.find(tx, id, actor.id);
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

  private async insert(tx: Tx, actor: Actor, taskId: number, dto: CreateJobDto): Promise<number[]> {
    const task = requireUsable(await this.validation.groundTruthTask(tx, taskId));
    const longest = Math.max(0, ...task.segments.map((segment) => segment.stop - segment.start + 1));
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
