import { Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { updateScopes } from '../../core/access/require.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Unvalidated, validated } from '../../core/http/body/body.js';
import { ApiError, Forbidden, NotFound } from '../../core/http/errors/errors.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import type { Actor } from '../../shared/policy/actor.js';
import { jobPolicy, type JobScope } from '../../shared/policy/job.policy.js';
import { TaskService } from '../tasks/index.js';
import {
  type ChangedJobsDto,
  factsOf,
  type JobDto,
  JobIdsDto,
  type JobRow,
  toJob,
  UpdateJobDto,
  type UpdateJobsDto,
} from './job.dto.js';
import { progressAfter, taskStatus } from './job-progress.js';
import { JobRepository } from './job.repository.js';
import { JobService, withWritten } from './job.service.js';

/** The scope that a change of each field requires. */
const UPDATE_SCOPES: Readonly<Record<string, JobScope>> = {
  assignee: 'update:assignee',
  stage: 'update:stage',
  state: 'update:state',
};

/** PATCH of one job, or of many. */
@Injectable()
export class JobUpdate {
  constructor(
    private readonly work: UnitOfWork,
    private readonly rows: JobRepository,
    private readonly jobs: JobService,
    private readonly tasks: TaskService,
    private readonly people: ReferencedUsers,
    private readonly preconditions: Preconditions,
  ) {}

  /** Most changes keep the status of the job, and therefore that of its task. These do not lock the task. */
  async update(actor: Actor, id: number, body: Unvalidated<UpdateJobDto>): Promise<JobDto> {
    const attempt = (locks: Locks): Promise<JobDto | null> =>
      this.work.run(async (tx) => {
        const [before] = await this.requireChangeable(tx, actor, [id], body, { locks, ...ONE_JOB });
        if (before === undefined) throw NotFound.of('Job');
        const dto = body.validate();
        await this.preconditions.require(tx, 'job', toJob(before, actor));
        if (locks === 'jobs' && progressAfter(before, dto).status !== before.status) return null;
        const [job] = await this.change(tx, actor, [before], dto, locks);
        if (job === undefined) throw NotFound.of('Job');
        return job;
      });
    const job = body.raw['stage'] === undefined ? await attempt('jobs') : null;
    return job ?? ((await attempt('jobs and tasks')) as JobDto);
  }

  /** Changes many jobs in the same way, in one transaction. */
  async updateAll(actor: Actor, body: Unvalidated<UpdateJobsDto>): Promise<ChangedJobsDto> {
    const { ids: named, ...changes } = body.raw;
    const { ids } = validated(JobIdsDto, { ids: named });
    const change = new Unvalidated(changes, UpdateJobDto);
    return this.work.run(async (tx) => {
      const how = { locks: 'jobs and tasks', ...MANY_JOBS } as const;
      const before = await this.requireChangeable(tx, actor, [...new Set(ids)], change, how);
      const results = await this.change(tx, actor, before, change.validate(), 'jobs and tasks');
      return { count: results.length, results };
    });
  }

  /**
   * Locks and reads the jobs.
   * @throws the errors of `refusals` if a job does not exist, or the actor may not make the change to all jobs
   */
  private async requireChangeable(
    tx: Tx,
    actor: Actor,
    ids: readonly number[],
    { raw: changes }: Unvalidated<UpdateJobDto>,
    { locks, ...refusals }: Refusals & { readonly locks: Locks },
  ): Promise<JobRow[]> {
    const locked = locks === 'jobs' ? this.rows.lock(tx, ids) : this.rows.lockWithTasks(tx, ids);
    const [, rows] = await Promise.all([locked, this.rows.findAll(tx, ids, actor.id)]);
    const found = new Set(rows.map((row) => row.id));
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length > 0) throw refusals.missing(missing);
    const people = [changes['assignee']];
    const scopes: JobScope[] = ['view', ...updateScopes(changes, UPDATE_SCOPES)];
    const forbidden = rows.filter((row) => {
      const facts = factsOf(row);
      const mayChange = scopes.every((scope) => jobPolicy.allow(scope, actor, facts));
      return !mayChange || !this.people.mayName(actor, facts.task.organization, people);
    });
    if (forbidden.length > 0) throw refusals.forbidden(forbidden.map((row) => row.id));
    await this.people.requireKnown(tx, actor, people);
    return rows;
  }

  /** The number of statements does not depend on the number of jobs. */
  private async change(
    tx: Tx,
    actor: Actor,
    before: readonly JobRow[],
    dto: UpdateJobDto,
    locks: Locks,
  ): Promise<JobDto[]> {
    const after = before.map((row) => progressAfter(row, dto));
    const taskIds = locks === 'jobs' ? [] : [...new Set(before.map((row) => row.task_id))];
    const [written, statuses] = await Promise.all([
      this.rows.setAll(tx, before, after, dto.assignee, tx.now),
      taskIds.length === 0 ? [] : this.rows.statuses(tx, taskIds),
    ]);
    const changed = statuses
      .map(({ id, stored, of_jobs: ofJobs }) => ({ id, stored, status: taskStatus(ofJobs) }))
      .filter(({ stored, status }) => status !== stored);
    await this.tasks.setStatuses(tx, actor, new Map(changed.map(({ id, status }) => [id, status])));
    // The assignee's name is in another table, so a new assignee has to be read.
    const rows =
      dto.assignee === undefined
        ? withWritten(before, written)
        : await this.rows.findAll(
            tx,
            before.map((row) => row.id),
            actor.id,
          );
    return this.jobs.recordUpdates(tx, actor, before, rows);
  }
}

/**
 * The rows that a change locks. The status of a task is derived from its jobs, so a change of a job's status also locks
 * the task, always before the jobs.
 */
type Locks = 'jobs' | 'jobs and tasks';

/** The errors for jobs that cannot be changed. */
interface Refusals {
  missing(ids: readonly number[]): Error;
  forbidden(ids: readonly number[]): Error;
}

const ONE_JOB: Refusals = {
  missing: () => NotFound.of('Job'),
  forbidden: () => new Forbidden(),
};

const MANY_JOBS: Refusals = {
  missing: (ids) => new ApiError(404, { detail: 'Some of these jobs do not exist. No job was changed.', ids }),
  forbidden: (ids) =>
    new ApiError(403, {
      detail: 'You do not have permission to make this change to some of the jobs. No job was changed.',
      ids,
    }),
};
