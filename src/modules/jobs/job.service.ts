import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db, type Queryable } from '../../core/database/db.js';
import { dateToWire } from '../../core/database/data-source.js';
import type { Tx } from '../../core/database/tx.js';
import { NotFound } from '../../core/http/errors/errors.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import { Events, inBatches } from '../../core/events/events.js';
import type { Page } from '../../core/list/page-request.js';
import { raw, sql } from '../../engines/sql/sql.js';
import { column } from '../../engines/sql/tables.js';
import type { Actor } from '../../shared/policy/actor.js';
import { type JobFacts, jobPolicy, type JobScope } from '../../shared/policy/job.policy.js';
import { EmbeddedLabels, LabelService, RequiresLabelOwner } from '../labels/index.js';
import { TaskService } from '../tasks/index.js';
import { BeforeDeleting, type Cascade, Cascades } from '../../core/events/cascades.js';
import { factsOf, type JobDto, type JobRow, toJob } from './job.dto.js';
import { jobListOf } from './job.list.js';
import { jobScope } from './job.events.js';
import { JOB_COLUMNS, JobRepository } from './job.repository.js';

/** Jobs that are locked until the transaction ends, with the labels that their events show. */
export interface LockedJobs {
  /** Sorted by id. */
  readonly rows: readonly JobRow[];
  readonly labels: EmbeddedLabels;
}

/** Reads jobs, and records that something in them has changed. */
@Injectable()
export class JobService {
  constructor(
    private readonly db: Db,
    private readonly rows: JobRepository,
    private readonly tasks: TaskService,
    private readonly lists: ListService,
    private readonly events: Events,
    private readonly labels: LabelService,
  ) {}

  @RequiresLabelOwner('job')
  async requireForLabels(db: Queryable, actor: Actor, id: number): Promise<void> {
    await this.require(db, actor, id, 'view');
  }

  list(actor: Actor, query: Record<string, unknown>): Promise<Page<JobDto>> {
    const options = {
      select: JOB_COLUMNS,
      visible: jobPolicy.visible(actor),
      organization: listOrganization(actor),
      query,
      url: `${actor.baseUrl}/api/jobs`,
    };
    return this.lists.page<JobRow, JobDto>(jobListOf(actor.id), options, (row) => toJob(row, actor));
  }

  /** All jobs of one task, for everyone who may see the task. */
  async ofTask(actor: Actor, taskId: number, query: Record<string, unknown>): Promise<Page<JobDto>> {
    await this.tasks.require(this.db, actor, taskId, 'view');
    const options = {
      select: JOB_COLUMNS,
      visible: raw('true'),
      organization: 'any' as const,
      query,
      url: `${actor.baseUrl}/api/tasks/${taskId}/jobs`,
      where: sql`${column('job.task_id')} = ${taskId}`,
    };
    return this.lists.page<JobRow, JobDto>(jobListOf(actor.id), options, (row) => toJob(row, actor));
  }

  async get(actor: Actor, id: number): Promise<JobDto> {
    const row = await this.rows.find(this.db, id, actor.id);
    if (row === undefined) throw NotFound.of('Job');
    requireAll(jobPolicy, ['view'], actor, factsOf(row));
    return toJob(row, actor);
  }

  /** @throws NotFound, Forbidden */
  async require(db: Queryable, actor: Actor, jobId: number, scope: JobScope): Promise<JobFacts> {
    const facts = await this.rows.facts(db, jobId, actor.id);
    if (facts === undefined) throw NotFound.of('Job');
    requireAll(jobPolicy, [scope], actor, facts);
    return facts;
  }

  /** Locks jobs and reads them in one round trip. @param withTasks locks their tasks before them */
  async lock(tx: Tx, actor: Actor | null, ids: readonly number[], { withTasks = false } = {}): Promise<LockedJobs> {
    const actorId = actor?.id ?? 0;
    const [rows, labels] = await Promise.all([
      withTasks ? this.rows.lockWithTasks(tx, ids, actorId) : this.rows.lock(tx, ids, actorId),
      this.labels.usedIn(tx, 'job', ids),
    ]);
    return { rows, labels: new EmbeddedLabels(labels) };
  }

  /** Gives jobs a new date and records `update:job`, because something in them has changed. Takes no round trip. */
  async touch(tx: Tx, actor: Actor | null, before: LockedJobs): Promise<void> {
    const ids = before.rows.map((row) => row.id);
    this.rows.setUpdated(tx, ids, tx.now);
    const date = dateToWire(tx.now);
    const after = before.rows.map((row) => ({ ...row, updated_date: date }));
    await this.recordUpdates(tx, actor, before, after);
  }

  /** Records `update:job` for each job. @param after in the order of `before` */
  async recordUpdates(tx: Tx, actor: Actor | null, before: LockedJobs, after: readonly JobRow[]): Promise<JobDto[]> {
    const changes = after.map((row, index) => ({
      after: toJob(row, actor),
      before: toJob(before.rows[index] ?? row, actor),
      scope: jobScope(row),
      extras: before.labels.ofTask(row.project_id, row.task_id),
    }));
    await this.events.updated(tx, actor, 'job', changes);
    return changes.map((change) => change.after);
  }
}

/** Records the deletion of jobs, after the deletion of their contents. */
@Injectable()
export class JobDeletion {
  constructor(
    private readonly cascades: Cascades,
    private readonly rows: JobRepository,
    private readonly events: Events,
  ) {}

  @BeforeDeleting('task')
  async onDeletionOfTasks(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    await this.record(tx, actor, await this.rows.lockOfTasks(tx, ids));
  }

  /** Locks the contents of jobs. Call it before you lock their task. */
  lock(tx: Tx, ids: readonly number[]): Promise<void> {
    return this.cascades.lock(tx, 'job', ids);
  }

  /**
   * Deletes the contents of the jobs and records the events. Call it before you delete the rows.
   * @param ids newest first, as in the events
   */
  async record(tx: Tx, actor: Actor, ids: readonly number[]): Promise<void> {
    await this.cascades.run(tx, { resource: 'job', ids, actor });
    for (const part of inBatches(ids)) {
      const rows = (await this.rows.findAll(tx, part, actor.id)).toReversed();
      const deleted = rows.map((row) => ({ object: toJob(row, actor), scope: jobScope(row) }));
      await this.events.deleted(tx, actor, 'job', deleted);
    }
  }
}
