import { Inject, Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll } from '../../core/access/require.js';
import { updateScopes } from '../../core/access/update-scopes.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Unvalidated, validated } from '../../core/http/body.js';
import { ApiError, Forbidden, NotFound } from '../../core/http/errors.js';
import { Preconditions } from '../../core/http/preconditions.js';
import { EventRecorder, NOWHERE } from '../../core/outbox/event-recorder.js';
import type { Actor } from '../../shared/policy/actor.js';
import { type JobFacts, jobPolicy, type JobScope } from '../../shared/policy/job.policy.js';
import { RequiresLabelOwner } from '../labels/index.js';
import { TaskService } from '../tasks/index.js';
import { type ChangedJobsDto, type JobDto, JobIdsDto, UpdateJobDto, type UpdateJobsDto } from './job.dto.js';
import { factsOf, type JobRow, placeOf, toJob } from './job.mapper.js';
import { JobRepository, type JobStanding, type WrittenJob } from './job.repository.js';
import { jobStatus, taskStatus } from './job-status.js';

const UPDATE_SCOPES: Readonly<Record<string, JobScope>> = {
  assignee: 'update:assignee',
  stage: 'update:stage',
  state: 'update:state',
};

/** Changing jobs. */
@Injectable()
export class JobService {
  constructor(
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(JobRepository) private readonly jobs: JobRepository,
    @Inject(TaskService) private readonly tasks: TaskService,
    @Inject(ReferencedUsers) private readonly people: ReferencedUsers,
    @Inject(EventRecorder) private readonly events: EventRecorder,
    @Inject(Preconditions) private readonly preconditions: Preconditions,
  ) {}

  @RequiresLabelOwner('job')
  async requireForLabels(db: Queryable, actor: Actor, id: number): Promise<void> {
    await this.require(db, actor, id, 'view');
  }

  /** @throws NotFound, Forbidden */
  async require(db: Queryable, actor: Actor, jobId: number, scope: JobScope): Promise<JobFacts> {
    const facts = await this.jobs.facts(db, jobId, actor.id);
    if (facts === undefined) throw NotFound.of('Job');
    requireAll(jobPolicy, [scope], actor, facts);
    return facts;
  }

  update(actor: Actor, id: number, body: Unvalidated<UpdateJobDto>): Promise<JobDto> {
    return this.work.run(async (tx) => {
      const [before] = await this.requireChangeable(tx, actor, [id], body, ONE_JOB);
      if (before === undefined) throw NotFound.of('Job');
      const dto = body.validate();
      await this.preconditions.require(tx, 'job', toJob(before, actor));
      const [job] = await this.change(tx, actor, [before], dto);
      if (job === undefined) throw NotFound.of('Job');
      return job;
    });
  }

  /** The same change for many jobs, in one commit: all of them or none. */
  async updateAll(actor: Actor, body: Unvalidated<UpdateJobsDto>): Promise<ChangedJobsDto> {
    const { ids: named, ...changes } = body.raw;
    const { ids } = validated(JobIdsDto, { ids: named });
    const change = new Unvalidated(changes, UpdateJobDto);
    return this.work.run(async (tx) => {
      const before = await this.requireChangeable(tx, actor, [...new Set(ids)], change, MANY_JOBS);
      const results = await this.change(tx, actor, before, change.validate());
      return { count: results.length, results };
    });
  }

  /**
   * Jobs have changed because something in them did: a new date, and the event that tells it. Lock their task before.
   */
  async touch(tx: Tx, actor: Actor | null, ids: readonly number[]): Promise<void> {
    const actorId = actor?.id ?? 0;
    const before = await this.jobs.findAll(tx, ids, actorId);
    if (before.length === 0) return;
    const written = await this.jobs.setUpdated(tx, ids, tx.now);
    await this.tell(tx, actor, before, asWritten(before, written));
  }

  /**
   * The jobs as they are, when all are there and the actor may change them so. Their tasks are locked first: a task's
   * status follows from all its jobs, and two of them may change at once.
   */
  private async requireChangeable(
    tx: Tx,
    actor: Actor,
    ids: readonly number[],
    { raw: changes }: Unvalidated<UpdateJobDto>,
    refusals: Refusals,
  ): Promise<JobRow[]> {
    await this.jobs.lockTasksOf(tx, ids);
    const rows = await this.jobs.findAll(tx, ids, actor.id);
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

  /** The number of statements does not depend on that of the jobs. */
  private async change(tx: Tx, actor: Actor, before: readonly JobRow[], dto: UpdateJobDto): Promise<JobDto[]> {
    const standings = before.map((row) => standingAfter(row, dto));
    const written = await this.jobs.setAll(tx, before, standings, dto.assignee, tx.now);
    const statuses = await this.jobs.statuses(tx, [...new Set(before.map((row) => row.task_id))]);
    const changed = statuses
      .map(({ id, stored, of_jobs: ofJobs }) => ({ id, stored, status: taskStatus(ofJobs) }))
      .filter(({ stored, status }) => status !== stored);
    await this.tasks.setStatuses(tx, actor, new Map(changed.map(({ id, status }) => [id, status])));
    if (dto.assignee === undefined) return this.tell(tx, actor, before, asWritten(before, written));
    const ids = before.map((row) => row.id);
    return this.tell(tx, actor, before, await this.jobs.findAll(tx, ids, actor.id));
  }

  /** Tells `update:job` of jobs that have changed. @param before as they were, by ascending id @param after as they are, in the same order */
  private async tell(
    tx: Tx,
    actor: Actor | null,
    before: readonly JobRow[],
    after: readonly JobRow[],
  ): Promise<JobDto[]> {
    const changes = after.map((row, index) => ({
      after: toJob(row, actor),
      before: toJob(before[index] ?? row, actor),
      place: placeOf(row),
    }));
    await this.events.record(tx, actor, { operation: 'update', resource: 'job' }, NOWHERE, changes);
    return changes.map((change) => change.after);
  }
}

/** Jobs after a change that wrote nothing else, without asking for them again. */
function asWritten(before: readonly JobRow[], written: readonly WrittenJob[]): JobRow[] {
  const changes = new Map(written.map((row) => [row.id, row]));
  return before.map((row) => ({ ...row, ...changes.get(row.id) }));
}

/** A stage that changes makes the state new, unless the same change says otherwise. */
function standingAfter(before: JobRow, { stage, state }: UpdateJobDto): JobStanding {
  const newStage = stage ?? before.stage;
  const newState = state ?? (newStage === before.stage ? before.state : 'new');
  const stays = stage === undefined && state === undefined;
  const status = stays ? before.status : jobStatus(newStage, newState);
  return { id: before.id, stage: newStage, state: newState, status };
}

/** How a change is refused because of some jobs. */
interface Refusals {
  missing(ids: readonly number[]): Error;
  forbidden(ids: readonly number[]): Error;
}

const ONE_JOB: Refusals = {
  missing: () => NotFound.of('Job'),
  forbidden: () => new Forbidden(),
};

const MANY_JOBS: Refusals = {
  missing: (ids) => new ApiError(404, { detail: 'Some of the jobs do not exist; nothing was changed.', ids }),
  forbidden: (ids) =>
    new ApiError(403, { detail: 'You may not change some of the jobs so; nothing was changed.', ids }),
};
