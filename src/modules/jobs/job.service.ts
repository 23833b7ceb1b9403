import { Inject, Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll } from '../../core/access/require.js';
import { updateScopes } from '../../core/access/update-scopes.js';
import { Clock } from '../../core/clock.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body.js';
import { NotFound } from '../../core/http/errors.js';
import { Preconditions } from '../../core/http/preconditions.js';
import { EventRecorder } from '../../core/outbox/event-recorder.js';
import { join, type Sql, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../policy/actor.js';
import { type JobFacts, jobPolicy, type JobScope } from '../../policy/job.policy.js';
import { TaskService } from '../tasks/index.js';
import type { JobDto, UpdateJobDto } from './job.dto.js';
import { factsOf, type JobRow, placeOf, toJob } from './job.mapper.js';
import { JobRepository } from './job.repository.js';
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
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** @throws NotFound, Forbidden */
  async require(db: Queryable, actor: Actor, jobId: number, scope: JobScope): Promise<JobFacts> {
    const facts = await this.jobs.facts(db, jobId, actor.id);
    if (facts === undefined) throw NotFound.of('Job');
    requireAll(jobPolicy, [scope], actor, facts);
    return facts;
  }

  /** The task is locked first: its status follows from all its jobs, and two of them may change at once. */
  update(actor: Actor, id: number, body: Unvalidated<UpdateJobDto>): Promise<JobDto> {
    return this.work.run(async (tx) => {
      await this.jobs.lockTaskOf(tx, id);
      const before = await this.jobs.find(tx, id, actor.id);
      if (before === undefined) throw NotFound.of('Job');
      const facts = factsOf(before);
      requireAll(jobPolicy, ['view', ...updateScopes(body.raw, UPDATE_SCOPES)], actor, facts);
      await this.people.require(tx, actor, facts.task.organization, [body.raw['assignee']]);
      const dto = body.validate();
      await this.preconditions.require(tx, 'job', toJob(before, actor));
      const now = this.clock.now();
      await this.jobs.set(tx, id, join([...assignments(before, dto, now), sql`updated_date = ${now}`], ', '));
      await this.updateTaskStatus(tx, actor, before.task_id);
      return this.tell(tx, actor, before);
    });
  }

  /**
   * Jobs have changed because something in them did: a new date, and the event that tells it. Lock their task before.
   */
  async touch(tx: Tx, actor: Actor | null, ids: readonly number[]): Promise<void> {
    const actorId = actor?.id ?? 0;
    const before = await this.jobs.findAll(tx, ids, actorId);
    const [first] = before;
    if (first === undefined) return;
    await this.jobs.setUpdated(tx, ids, this.clock.now());
    const after = await this.jobs.findAll(tx, ids, actorId);
    const changes = after.map((row, index) => ({
      after: toJob(row, actor),
      before: toJob(before[index] ?? row, actor),
    }));
    await this.events.record(tx, actor, { operation: 'update', resource: 'job' }, placeOf(first), changes);
  }

  private async tell(tx: Tx, actor: Actor, before: JobRow): Promise<JobDto> {
    const after = await this.jobs.find(tx, before.id, actor.id);
    if (after === undefined) throw NotFound.of('Job');
    const job = toJob(after, actor);
    await this.events.record(tx, actor, { operation: 'update', resource: 'job' }, placeOf(after), [
      { after: job, before: toJob(before, actor) },
    ]);
    return job;
  }

  /** Told only when the status really changes. */
  private async updateTaskStatus(tx: Tx, actor: Actor, taskId: number): Promise<void> {
    const { stored, ofJobs } = await this.jobs.statuses(tx, taskId);
    const status = taskStatus(ofJobs);
    if (status !== stored) await this.tasks.change(tx, actor, taskId, () => Promise.resolve([sql`status = ${status}`]));
  }
}

/** A stage that changes makes the state new, unless the same change says otherwise. */
function assignments(before: JobRow, { assignee, stage, state }: UpdateJobDto, now: Date): Sql[] {
  const newStage = stage ?? before.stage;
  const newState = state ?? (newStage === before.stage ? before.state : 'new');
  return [
    ...(assignee === undefined || assignee === before.assignee_id
      ? []
      : [sql`assignee_id = ${assignee}, assignee_updated_date = ${now}`]),
    ...(stage === undefined && state === undefined
      ? []
      : [sql`stage = ${newStage}, state = ${newState}, status = ${jobStatus(newStage, newState)}`]),
  ];
}
