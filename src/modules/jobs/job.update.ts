import { Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { updateScopes } from '../../core/access/require.js';
import { dateToWire } from '../../core/database/data-source.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { inBatches } from '../../core/events/events.js';
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
import { JobService, type LockedJobs } from './job.service.js';

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
        const before = await this.requireChangeable(tx, actor, [id], body, { locks, ...ONE_JOB });
        const [row] = before.rows;
        if (row === undefined) throw NotFound.of('Job');
        const dto = body.validate();
        await this.preconditions.require(tx, 'job', toJob(row, actor));
        if (locks === 'jobs' && progressAfter(row, dto).status !== row.status) return null;
        const [job] = await this.change(tx, actor, before, dto, locks);
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
   * Changes the progress of jobs in the caller's transaction, as a request would, for callers that have already checked
   * the permission. Jobs that no longer exist are skipped.
   * @throws what `check` throws about the locked jobs
   */
  async setProgress(
    tx: Tx,
    actor: Actor,
    ids: readonly number[],
    progress: Pick<UpdateJobDto, 'stage' | 'state'>,
    check: (before: readonly JobRow[]) => void,
  ): Promise<void> {
    const before = await this.jobs.lock(tx, actor, ids, { withTasks: true });
    check(before.rows);
    await this.change(tx, actor, before, progress, 'jobs and tasks');
  }

  /** Removes the assignees of jobs, for callers that have already checked the permission. */
  async unassign(tx: Tx, actor: Actor, ids: readonly number[]): Promise<void> {
    for (const part of inBatches(ids))
      await this.change(tx, actor, await this.jobs.lock(tx, actor, part), { assignee: null }, 'jobs');
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
  ): Promise<LockedJobs> {
    const locked = await this.jobs.lock(tx, actor, ids, { withTasks: locks === 'jobs and tasks' });
    const { rows } = locked;
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
    return locked;
  }

  /** The number of statements does not depend on the number of jobs. A change of a state takes no round trip. */
  private async change(tx: Tx, actor: Actor, before: LockedJobs, dto: UpdateJobDto, locks: Locks): Promise<JobDto[]> {
    const progress = before.rows.map((row) => progressAfter(row, dto));
    this.rows.setAll(tx, before.rows, progress, dto.assignee, tx.now);
    if (locks === 'jobs and tasks') await this.updateTasks(tx, actor, before.rows);
    const date = dateToWire(tx.now);
    const after =
      dto.assignee === undefined
        ? before.rows.map((row, index) => ({ ...row, ...progress[index], updated_date: date }))
        : await this.withAssignee(tx, actor, before.rows);
    return this.jobs.recordUpdates(tx, actor, before, after);
  }

  /** Derives the statuses of the tasks from those of their jobs. */
  private async updateTasks(tx: Tx, actor: Actor, jobs: readonly JobRow[]): Promise<void> {
    const statuses = await this.rows.statuses(tx, [...new Set(jobs.map((row) => row.task_id))]);
    const changed = statuses
      .map(({ id, stored, of_jobs: ofJobs }) => ({ id, stored, status: taskStatus(ofJobs) }))
      .filter(({ stored, status }) => status !== stored);
    await this.tasks.setStatuses(tx, actor, new Map(changed.map(({ id, status }) => [id, status])));
  }

  /** The assignee's name is in another table, so a new assignee has to be read. */
  private withAssignee(tx: Tx, actor: Actor, jobs: readonly JobRow[]): Promise<JobRow[]> {
    const ids = jobs.map((row) => row.id);
    return this.rows.findAll(tx, ids, actor.id);
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
