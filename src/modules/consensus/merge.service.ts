import { Injectable } from '@nestjs/common';
import { Db } from '../../core/database/db.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Forbidden, Invalid, InvalidList, movedStatus } from '../../core/http/errors/errors.js';
import { namedId } from '../../core/http/request/ids.js';
import type { Actor } from '../../shared/policy/actor.js';
import { BackgroundRequests, requestIdOf } from '../requests/index.js';
import { TaskService } from '../tasks/index.js';
import { ConsensusRepository } from './consensus.repository.js';
import type { CreateMergeDto } from './consensus.dto.js';
import {
  type ConsensusTask,
  MergeRepository,
  type MergeTarget,
  NO_JOB_IS_READY,
  requireMergeable,
} from './merge.repository.js';

export const MERGE_TYPES = { task: 'merge:task', job: 'merge:job' } as const;

/** Queues requests that merge replicas into their jobs. */
@Injectable()
export class MergeService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly rows: MergeRepository,
    private readonly settings: ConsensusRepository,
    private readonly tasks: TaskService,
    private readonly background: BackgroundRequests,
  ) {}

  /**
   * The order of the refusals is that of the contract.
   * @returns the id of the background request
   */
  async create(actor: Actor, body: Unvalidated<CreateMergeDto>, query: Record<string, unknown>): Promise<string> {
    const named = namedTargets(body.raw);
    const [target] = named;
    if (target === undefined) throw new Forbidden('Either task_id or job_id must be specified');
    const task = await this.taskOf(target);
    await this.tasks.require(this.db, actor, task.id, 'merge:replicas');
    if (query['rq_id'] !== undefined) throw movedStatus('merge');
    if (named.length > 1)
      throw new Invalid({ non_field_errors: ['Only 1 of the fields "task_id", "job_id" can be used'] });
    await this.ensureSettings(task.id);
    requireMergeable(task, 'Merging is only supported in 2d tasks');
    await this.requireReady(task, target);
    return this.enqueue(actor, task, target);
  }

  private async taskOf(target: MergeTarget): Promise<ConsensusTask> {
    const task = await this.rows.taskOf(this.db, target);
    if (task === undefined) throw new InvalidList(`The specified ${target.kind} does not exist`);
    return task;
  }

  /** Even a refused merge gives a task its settings. */
  private async ensureSettings(taskId: number): Promise<void> {
    if ((await this.settings.ofTask(this.db, taskId)) === undefined)
      await this.work.run((tx) => Promise.resolve(this.settings.add(tx, taskId)));
  }

  private async requireReady(task: ConsensusTask, target: MergeTarget): Promise<void> {
    const parents = await this.rows.readyParents(this.db, task.id);
    if (parents.length === 0) throw new InvalidList(NO_JOB_IS_READY);
    if (target.kind === 'job' && parents.every(({ id }) => id !== target.id)) {
      throw new InvalidList(
        `No annotated consensus jobs found for parent job ${target.id}. Make sure at least one consensus job is not in the annotation - new state`,
      );
    }
  }

  private async enqueue(actor: Actor, task: ConsensusTask, target: MergeTarget): Promise<string> {
    const id = requestIdOf({ action: 'merge', target: target.kind, targetId: target.id });
    await this.work.run((tx) =>
      this.background.enqueue(tx, actor, {
        id,
        type: MERGE_TYPES[target.kind],
        target: target.kind,
        projectId: task.project_id,
        taskId: task.id,
        jobId: target.kind === 'job' ? target.id : null,
        organizationId: task.organization_id,
        parameters: target,
      }),
    );
    return id;
  }
}

const NAMES = { job: 'job_id', task: 'task_id' } as const;

/**
 * The targets that the body names, the job first. As in CVAT, null, 0 and an empty text name nothing.
 * @throws Invalid if an id is not a number
 */
function namedTargets(raw: Readonly<Record<string, unknown>>): MergeTarget[] {
  return (['job', 'task'] as const).flatMap((kind) => {
    const value = raw[NAMES[kind]];
    if (value === undefined || value === null || value === 0 || value === '') return [];
    const id = namedId(value);
    if (id === undefined) throw new Invalid({ [NAMES[kind]]: ['A valid integer is required.'] });
    return [{ kind, id }];
  });
}
