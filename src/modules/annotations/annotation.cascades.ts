import { Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { BeforeDeleting, type Cascade, LockBeforeDeleting } from '../../core/events/cascades.js';
import { inBatches } from '../../core/events/events.js';
import { or, raw, type Sql, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import { type LabelMapping, OnLabelRemapping } from '../tasks/index.js';
import { AnnotatedTaskRepository } from './annotated-task.repository.js';
import { KINDS, REMOVED, TABLES } from './annotation-tables.js';
import { AnnotationRepository } from './annotation.repository.js';
import { RevisionRecorder } from './history/revision.recorder.js';
import { RevisionRepository } from './history/revision.repository.js';

const LABELED = [TABLES.tag, TABLES.shape, TABLES.track, TABLES.interval];

/** Maximum number of attempts, each because further jobs got annotations with the labels in the meantime. */
const MAX_ATTEMPTS = 10;

/** A task and its jobs that have annotations with the labels. */
interface LabeledTask {
  readonly id: number;
  readonly jobs: readonly number[];
}

/** Deletes annotations together with their labels, as one save per task, so that the history keeps them. */
@Injectable()
export class AnnotationsOfLabels {
  constructor(
    private readonly tasks: AnnotatedTaskRepository,
    private readonly annotations: AnnotationRepository,
    private readonly revisions: RevisionRepository,
    private readonly recorder: RevisionRecorder,
  ) {}

  /**
   * Locks the jobs that can use the labels, then the labels. A save locks in the same order, so they cannot deadlock. By
   * the time the labels are locked, further jobs may use them. Then a rollback to the savepoint releases the labels, and
   * the next attempt locks these jobs, too.
   */
  @LockBeforeDeleting('label')
  async lock(tx: Tx, ids: readonly number[]): Promise<void> {
    const jobs = new Set(await this.jobsWhereUsable(tx, ids));
    for (let attempt = 1; ; attempt += 1) {
      await tx.query(sql`savepoint labels`);
      await this.tasks.lock(tx, [...jobs]);
      const tasks = await this.tasksWith(tx, await this.lockLabels(tx, ids));
      const fresh = tasks.flatMap((task) => task.jobs).filter((job) => !jobs.has(job));
      if (fresh.length === 0 || attempt === MAX_ATTEMPTS) return;
      await tx.query(sql`rollback to savepoint labels`);
      for (const job of fresh) jobs.add(job);
    }
  }

  /** Locks the labels and their sublabels until the transaction ends. @returns the ids of all */
  private async lockLabels(tx: Tx, ids: readonly number[]): Promise<number[]> {
    const labels = await tx.query<{ id: number }>(sql`
      select id from label where id = any(${[...ids]}::int[]) or parent_id = any(${[...ids]}::int[]) order by id for update`);
    return labels.map((label) => label.id);
  }

  @BeforeDeleting('label')
  async remove(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    const labelIds = await this.lockLabels(tx, ids);
    const tasks = await this.tasksWith(tx, labelIds);
    await this.tasks.lock(
      tx,
      tasks.flatMap((task) => task.jobs),
    );
    for (const part of inBatches(tasks)) await this.removeFrom(tx, actor, part, labelIds);
  }

  /**
   * All jobs that can use the labels, because those that do not use them yet may start to while this waits for the locks.
   */
  private async jobsWhereUsable(tx: Tx, labelIds: readonly number[]): Promise<number[]> {
    const jobs = await tx.query<{ id: number }>(sql`select id from job where task_id in (${tasksOfLabels(labelIds)})`);
    return jobs.map((job) => job.id);
  }

  /** Tasks with their jobs that use the labels. The labels are locked, so no other job can start to use them. */
  private tasksWith(tx: Tx, labelIds: readonly number[]): Promise<LabeledTask[]> {
    const has = (table: string): Sql =>
      sql`exists (select from ${raw(table)} where job_id = job.id and label_id = any(${[...labelIds]}::int[]))`;
    return tx.query<LabeledTask>(sql`
      select task_id as id, array_agg(id) as jobs from job
      where task_id in (${tasksOfLabels(labelIds)}) and ${or(LABELED.map(has))}
      group by task_id order by task_id`);
  }

  private async removeFrom(
    tx: Tx,
    actor: Actor,
    labeled: readonly LabeledTask[],
    labelIds: readonly number[],
  ): Promise<void> {
    const tasks = await this.tasks.ofTasks(
      tx,
      labeled.map((task) => task.id),
    );
    const savings = await this.revisions.beginAll(tx, 'labels', tasks);
    const jobsOf = new Map(labeled.map((task) => [task.id, task.jobs]));
    const savingOf = new Map(
      savings.flatMap((saving) => (jobsOf.get(saving.task.id) ?? []).map((job) => [job, saving] as const)),
    );
    const revisions = new Map([...savingOf].map(([job, saving]) => [job, saving.revision]));
    for (const job of await this.annotations.deleteOfLabels(tx, revisions, labelIds))
      savingOf.get(job)?.changedJobs.add(job);
    const changed = savings.filter((saving) => saving.changedJobs.size > 0);
    if (changed.length > 0) await this.recorder.record(tx, actor, changed);
  }
}

/** The task that owns a label, or the tasks of the project that owns it. */
const tasksOfLabels = (labelIds: readonly number[]): Sql => sql`
  select task.id from label join task on task.id = label.task_id or task.project_id = label.project_id
  where label.id = any(${[...labelIds]}::int[])`;

/** Locks the annotations of jobs before they are deleted, so that nobody saves to them. */
@Injectable()
export class AnnotationsOfJobs {
  constructor(private readonly tasks: AnnotatedTaskRepository) {}

  @LockBeforeDeleting('job')
  lockJobs(tx: Tx, ids: readonly number[]): Promise<void> {
    return this.tasks.lock(tx, ids);
  }

  @LockBeforeDeleting('task')
  async lockTasks(tx: Tx, ids: readonly number[]): Promise<void> {
    await this.tasks.lock(tx, await this.tasks.jobIds(tx, ids));
  }
}

/** When a task moves to a project, replaces its labels by those of the project, in annotations and in their history. */
@Injectable()
export class AnnotationRemapping {
  constructor(private readonly tasks: AnnotatedTaskRepository) {}

  @OnLabelRemapping()
  async remap(tx: Tx, taskId: number, { labels, attributes }: LabelMapping): Promise<void> {
    const jobIds = await this.tasks.jobIds(tx, [taskId]);
    await this.tasks.lock(tx, jobIds);
    const jobs = sql`job_id = any(${jobIds}::int[])`;
    for (const kind of KINDS) {
      for (const table of [raw(TABLES[kind]), raw(REMOVED[kind])]) {
        await tx.query(sql`
          update ${table} set attributes = ${mappedAttributes(attributes)} where ${jobs} and attributes <> '[]'`);
        if (kind === 'trackedShape') continue; // it has the label of its track
        await tx.query(sql`
          update ${table} set label_id = mapping.new_id from ${pairs(labels)} where ${jobs} and label_id = mapping.old_id`);
      }
    }
  }
}

const pairs = (ids: ReadonlyMap<number, number>): Sql =>
  sql`unnest(${[...ids.keys()]}::int[], ${[...ids.values()]}::int[]) as mapping(old_id, new_id)`;

const mappedAttributes = (ids: ReadonlyMap<number, number>): Sql => sql`(
  select json_agg(json_build_object('spec_id', coalesce(mapping.new_id, (value->>'spec_id')::int), 'value', value->'value')
    order by ordinal)::text
  from json_array_elements(attributes::json) with ordinality as entry(value, ordinal)
  left join ${pairs(ids)} on mapping.old_id = (value->>'spec_id')::int)`;
