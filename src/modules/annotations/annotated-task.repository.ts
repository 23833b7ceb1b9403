import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { etagOf } from '../../core/http/conditional/preconditions.js';
import { NotFound } from '../../core/http/errors/errors.js';
import type { LabelIndex } from '../../engines/annotations/labels.js';
import { type Sql, sql } from '../../engines/sql/sql.js';

/** A job whose annotations are read or written. Frame numbers are those of the task; both ends are inclusive. */
export interface AnnotatedJob {
  readonly id: number;
  readonly start: number;
  readonly stop: number;
  /** The id of the last save of its annotations, or 0 if none is recorded. */
  readonly revision: number;
  /** Read the annotations as they were after this save. Default: the current ones. */
  readonly at?: number;
  /** Read only annotations on these frames. Default: all frames. */
  readonly frames?: readonly [first: number, last: number];
}

/** A task whose annotations are read or written. */
export interface AnnotatedTask {
  readonly id: number;
  readonly project_id: number | null;
  readonly organization_id: number | null;
  readonly dimension: string;
  /** The number of frames that adjacent jobs share. */
  readonly overlap: number;
  /** The number of frames; 0 while there is no data. */
  readonly size: number;
  /** gt, gt_pool or null. */
  readonly validation_mode: string | null;
  /** With gt_pool: the frames of the pool, and the honeypots that repeat them. */
  readonly pool: readonly number[];
  readonly honeypots: readonly { readonly frame: number; readonly real: number }[];
  /** The requested jobs, ordered by first frame. */
  readonly jobs: readonly AnnotatedJob[];
}

/** The owner of annotations: one job, or all annotation jobs of a task. */
export interface Target {
  readonly kind: 'job' | 'task';
  readonly id: number;
}

/** Reads and locks tasks and jobs for changes of their annotations. */
@Injectable()
export class AnnotatedTaskRepository {
  /** @throws NotFound */
  async of(db: Queryable, target: Target): Promise<AnnotatedTask> {
    const [task] = await db.query<AnnotatedTask>(
      target.kind === 'job' ? ofJob(target.id) : ofTask(sql`task.id = ${target.id}`),
    );
    if (task === undefined) throw NotFound.of(target.kind === 'job' ? 'Job' : 'Task');
    return task;
  }

  /** Tasks with their annotation jobs, by id. */
  ofTasks(db: Queryable, ids: readonly number[]): Promise<AnnotatedTask[]> {
    return db.query<AnnotatedTask>(sql`${ofTask(sql`task.id = any(${[...ids]}::int[])`)} order by task.id`);
  }

  /**
   * Locks the annotations of these jobs: until the transaction ends, no other transaction can write them or delete the
   * jobs. It locks rows of `annotation_head`, which exist for this purpose, and not the rows of the jobs, so a long write
   * does not block a change of state. Deleting a job locks its `annotation_head` row first. Advisory locks are no
   * alternative, because shared memory holds only some thousands of them. Jobs that no longer exist are skipped.
   */
  async lock(tx: Tx, jobIds: readonly number[]): Promise<void> {
    const ids = sql`${[...jobIds]}::int[]`;
    const created = tx.query(sql`
      with fresh as (
        select job.id from job
        where job.id = any(${ids}) and not exists (select from annotation_head head where head.job_id = job.id)
        order by job.id for key share of job)
      insert into annotation_head (job_id, revision_id) select id, 0 from fresh on conflict (job_id) do nothing`);
    const locked = tx.query(sql`select from annotation_head where job_id = any(${ids}) order by job_id for update`);
    await Promise.all([created, locked]);
  }

  /** Locks the jobs of the target, then reads the task. @throws NotFound */
  async locked(tx: Tx, target: Target): Promise<AnnotatedTask> {
    const known = new Set(target.kind === 'job' ? [target.id] : []);
    for (;;) {
      const locked = known.size === 0 ? undefined : this.lock(tx, [...known]);
      const [task] = await Promise.all([this.of(tx, target), locked]);
      const fresh = task.jobs.filter((job) => !known.has(job.id));
      if (fresh.length === 0) return task;
      for (const { id } of fresh) known.add(id);
    }
  }

  /** Prevents the deletion of labels until the transaction ends. */
  async lockLabels(tx: Tx, labelIds: Iterable<number>): Promise<void> {
    await tx.query(sql`select 1 from label where id = any(${[...labelIds]}::int[]) order by id for key share`);
  }

  async jobIds(db: Queryable, taskIds: readonly number[]): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`select id from job where task_id = any(${[...taskIds]}::int[])`);
    return rows.map((row) => row.id);
  }
}

const POOL = sql`
  case when media_data.validation_mode = 'gt_pool' then
    array(select jsonb_array_elements_text(media_data.validation_layout->'frames')::int) else '{}' end as pool,
  case when media_data.validation_mode = 'gt_pool' then (
    select coalesce(json_agg(json_build_object('frame', frame, 'real', real_frame)), '[]')
    from media_frame where data_id = media_data.id and real_frame is not null) else '[]' end as honeypots`;

const selectTask = (task: Sql, jobs: Sql): Sql => sql`
  select task.id, task.project_id, task.organization_id, task.dimension, coalesce(task.overlap, 0) as overlap,
    coalesce(media_data.size, 0) as size, media_data.validation_mode, ${POOL},
    (select coalesce(json_agg(json_build_object('id', job.id, 'start', segment.start_frame, 'stop', segment.stop_frame,
        'revision', coalesce(head.revision_id, 0)) order by segment.start_frame, job.id), '[]')
     from job join segment on segment.id = job.segment_id left join annotation_head head on head.job_id = job.id
     where job.task_id = task.id and ${jobs}) as jobs
  from task left join media_data on media_data.id = task.data_id where ${task}`;

const ofJob = (id: number): Sql =>
  selectTask(sql`task.id = (select task_id from job where job.id = ${id})`, sql`job.id = ${id}`);

/** Annotation jobs, and the ground truth job of a task whose honeypots come from its pool. */
const ofTask = (task: Sql): Sql =>
  selectTask(
    task,
    sql`(job.type = 'annotation' or (job.type = 'ground_truth' and media_data.validation_mode = 'gt_pool'))`,
  );

/** The task after a save that no other transaction has seen yet. */
export const afterSave = (task: AnnotatedTask, revision: number, changedJobs: ReadonlySet<number>): AnnotatedTask => ({
  ...task,
  jobs: task.jobs.map((job) => (changedJobs.has(job.id) ? { ...job, revision } : job)),
});

/** The entity tag of annotations. It covers everything that affects the JSON of a read, without reading any annotation. */
export function annotationTag(target: Target, task: AnnotatedTask, labels: LabelIndex): string {
  const { id, size, dimension, overlap, jobs } = task;
  return etagOf(JSON.stringify([target, id, size, dimension, overlap, jobs, labels.all()]));
}
