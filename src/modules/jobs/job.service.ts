import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db, type Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { NotFound } from '../../core/http/errors/errors.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import { Events, inBatches } from '../../core/events/events.js';
import type { Page } from '../../core/list/page-request.js';
import { raw, sql } from '../../engines/sql/sql.js';
import { column } from '../../engines/sql/tables.js';
import type { Actor } from '../../shared/policy/actor.js';
import { type JobFacts, jobPolicy, type JobScope } from '../../shared/policy/job.policy.js';
import { RequiresLabelOwner } from '../labels/index.js';
import { TaskService } from '../tasks/index.js';
import { BeforeDeleting, type Cascade, Cascades } from '../../core/events/cascades.js';
import { factsOf, type JobDto, type JobRow, toJob } from './job.dto.js';
import { jobListOf } from './job.list.js';
import { jobScope } from './job.events.js';
import { JOB_COLUMNS, JobRepository, type WrittenJob } from './job.repository.js';

/** Reads jobs, and records that something in them has changed. */
@Injectable()
export class JobService {
  constructor(
    private readonly db: Db,
    private readonly rows: JobRepository,
    private readonly tasks: TaskService,
    private readonly lists: ListService,
    private readonly events: Events,
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

  /**
   * Sets `updated_date` and records `update:job`, because something in these jobs has changed. The caller has locked the
   * task.
   */
  async touch(tx: Tx, actor: Actor | null, ids: readonly number[]): Promise<void> {
    const [, before] = await Promise.all([this.rows.lock(tx, ids), this.rows.findAll(tx, ids, actor?.id ?? 0)]);
    if (before.length === 0) return;
    const written = await this.rows.setUpdated(tx, ids, tx.now);
    await this.recordUpdates(tx, actor, before, withWritten(before, written));
  }

  /** Records `update:job` for each job. @param before by ascending id @param after in the same order */
  async recordUpdates(
    tx: Tx,
    actor: Actor | null,
    before: readonly JobRow[],
    after: readonly JobRow[],
  ): Promise<JobDto[]> {
    const changes = after.map((row, index) => ({
      after: toJob(row, actor),
      before: toJob(before[index] ?? row, actor),
      scope: jobScope(row),
    }));
    await this.events.updated(tx, actor, 'job', changes);
    return changes.map((change) => change.after);
  }
}

/** Merges written columns into rows, so that they need not be read again. */
export function withWritten(before: readonly JobRow[], written: readonly WrittenJob[]): JobRow[] {
  const changes = new Map(written.map((row) => [row.id, row]));
  return before.map((row) => ({ ...row, ...changes.get(row.id) }));
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
