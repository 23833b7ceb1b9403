import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { ApiError } from '../../core/http/errors/errors.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { finishWithPauses } from '../../engines/concurrency/steps.js';
import { Turns } from '../../engines/concurrency/turns.js';
import { AnnotationInvalid } from '../../engines/annotations/field-errors.js';
import { checkFrames, checkIntervals } from '../../engines/annotations/frames.js';
import { checkLabels, LabelIndex, type LabelSpec } from '../../engines/annotations/labels.js';
import { parseLargeLabeledData } from '../../engines/annotations/parse.js';
import { assignIds, GroupRenumbering, settleTracks } from '../../engines/annotations/prepare-write.js';
import { rowsOf } from '../../engines/annotations/rows.js';
import { splitSteps } from '../../engines/annotations/split.js';
import type { AnnotationAction, LabeledData } from '../../shared/annotations/model.js';
import { LabelService } from '../labels/index.js';
import {
  type AnnotatedJob,
  type AnnotatedTask,
  AnnotatedTaskRepository,
  annotationTag,
  type Target,
} from './annotated-task.repository.js';
import { AnnotationRepository, type ObjectIds } from './annotation.repository.js';
import { RevisionRepository } from './history/revision.repository.js';
import type { PendingRevision, RevisionAction } from './history/pending-revision.js';

/** The annotations written to one job. */
export interface WrittenPart {
  readonly job: AnnotatedJob;
  /** With ids. */
  readonly data: LabeledData;
}

/** Writes annotations of jobs inside a transaction, for requests and imports. */
@Injectable()
export class AnnotationWriter {
  constructor(
    private readonly tasks: AnnotatedTaskRepository,
    private readonly annotations: AnnotationRepository,
    private readonly revisions: RevisionRepository,
    private readonly labels: LabelService,
    private readonly preconditions: Preconditions,
  ) {}

  /**
   * Locks the jobs, so that no other transaction writes their annotations until this one ends.
   * @throws NotFound; ApiError 412 if the client's entity tag is outdated
   */
  async begin(
    tx: Tx,
    target: Target,
    action: RevisionAction,
  ): Promise<{ saving: PendingRevision; labels: LabelIndex }> {
    const task = await this.tasks.locked(tx, target);
    const [labels, saving] = await Promise.all([
      labelsOf(tx, this.labels, task),
      this.revisions.begin(tx, action, task),
    ]);
    this.preconditions.requireTag(annotationTag(target, task, labels));
    return { saving, labels };
  }

  /** Like `begin`, for some of the annotation jobs of a task. */
  async beginJobs(
    tx: Tx,
    { taskId, jobIds }: { readonly taskId: number; readonly jobIds: readonly number[] },
    action: RevisionAction,
  ): Promise<PendingRevision> {
    await this.tasks.lock(tx, jobIds);
    const task = await this.tasks.of(tx, { kind: 'task', id: taskId });
    const jobs = task.jobs.filter(({ id }) => jobIds.includes(id));
    return this.revisions.begin(tx, action, { ...task, jobs });
  }

  /**
   * Checks the labels, splits the annotations into those of each job, and applies the change. Modifies `data` in place, but
   * can be called again with the same data after a rollback.
   * @param options write everything to one job, or split it between the jobs by frame
   * @throws ApiError 400 for invalid labels and taken ids
   */
  async write(
    tx: Tx,
    saving: PendingRevision,
    change: Change,
    data: LabeledData,
    options: { readonly split: boolean; readonly job?: AnnotatedJob },
  ): Promise<readonly WrittenPart[]> {
    const { task, revision, changedJobs } = saving;
    const jobs = options.job === undefined ? task.jobs : [options.job];
    const [, labels] = await Promise.all([
      this.tasks.lockLabels(tx, usedLabels(data)),
      labelsOf(tx, this.labels, task),
    ]);
    translatingErrors(() => checkLabels(data, labels));
    if (change === 'replace') await this.clear(tx, saving);
    const split = options.split ? await splitBetween(data, jobs, change) : [data];
    const parts = jobs.flatMap((job, index) => {
      const part = split[index];
      return part === undefined ? [] : [{ job, data: part }];
    });
    const written = await this.writeParts(tx, parts, change, revision);
    for (const { job, data: part } of written) {
      if (!isEmpty(part) || (change === 'replace' && !options.split)) changedJobs.add(job.id);
      if (change !== 'delete') saving.wrote(job.id, part);
    }
    return written;
  }

  /** @throws NotFound; ApiError 400 if annotations do not match the labels of the target */
  async requireLabels(db: Queryable, target: Target, data: LabeledData): Promise<void> {
    const labels = await labelsOf(db, this.labels, await this.tasks.of(db, target));
    translatingErrors(() => checkLabels(data, labels));
  }

  /** Returns a renumbering that gives imported groups numbers that the jobs do not use yet. */
  async renumberGroups(tx: Tx, { task }: PendingRevision): Promise<GroupRenumbering> {
    const taken = await this.annotations.groups(
      tx,
      task.jobs.map((job) => job.id),
    );
    return new GroupRenumbering(new Set(taken));
  }

  /** Deletes all annotations of the jobs. */
  async clear(tx: Tx, { task, revision, changedJobs }: PendingRevision): Promise<void> {
    const jobIds = task.jobs.map((job) => job.id);
    for (const id of await this.annotations.deleteAll(tx, jobIds, revision)) changedJobs.add(id);
  }

  /** Deletes the annotations of the jobs that have not been changed since. */
  async clearOlder(tx: Tx, { task, revision, changedJobs }: PendingRevision, since: string): Promise<void> {
    const older = { taskId: task.id, jobIds: task.jobs.map((job) => job.id), since };
    for (const id of await this.annotations.deleteOlder(tx, older, revision)) changedJobs.add(id);
  }

  /** Restores the state after a save, except annotations whose labels no longer exist. Marks all jobs as changed. */
  async restore(tx: Tx, { task, revision, changedJobs }: PendingRevision, moment: number): Promise<void> {
    const jobIds = task.jobs.map((job) => job.id);
    const labelIds = (await labelsOf(tx, this.labels, task)).ids();
    await this.tasks.lockLabels(tx, labelIds);
    await this.annotations.deleteAfter(tx, jobIds, moment, revision);
    await this.annotations.restore(tx, jobIds, labelIds, moment, revision);
    for (const id of jobIds) changedJobs.add(id);
  }

  /** The number of statements does not depend on the number of jobs. */
  private async writeParts(
    tx: Tx,
    parts: readonly WrittenPart[],
    change: Change,
    revision: number,
  ): Promise<readonly WrittenPart[]> {
    if (change === 'update' || change === 'delete') {
      await this.annotations.delete(tx, parts.map(objectIds), revision);
    }
    if (change === 'delete') return parts;
    for (const { data } of parts) settleTracks(data);
    let ids = await this.annotations.reserveIds(
      tx,
      parts.map(({ data }) => data),
    );
    for (const { data } of parts) ids = assignIds(data, ids);
    await this.annotations.insert(
      tx,
      parts.map(({ job, data }) => rowsOf(data, job.id)),
      revision,
    );
    return parts;
  }
}

const objectIds = ({ job, data }: WrittenPart): ObjectIds => ({
  jobId: job.id,
  tags: knownIds(data.tags),
  shapes: knownIds(data.shapes),
  tracks: knownIds(data.tracks),
  intervals: knownIds(data.intervals),
});

const knownIds = (objects: readonly { readonly id: number | null }[]): number[] =>
  objects.flatMap((object) => (object.id === null ? [] : [object.id]));

/** What a write does: a PUT replaces, a PATCH has one of the actions. */
export type Change = 'replace' | AnnotationAction;

/** Reads the body of a write. @throws ApiError 400 that names every invalid field */
export function readAnnotations(body: unknown, change: Change): Promise<LabeledData> {
  const action = change === 'replace' ? 'create' : change;
  return parseLargeLabeledData(body, { action }).catch(rethrow);
}

/**
 * Checks the frames of annotations to save.
 * @throws ApiError 400 that names every annotation on a frame that the task does not have
 */
export const requireFrames = (data: LabeledData, { size }: AnnotatedTask): void =>
  translatingErrors(() => checkFrames(data, size));

/** Like {@link requireFrames}, for intervals only. */
export const requireIntervals = (data: LabeledData, { size }: AnnotatedTask): void =>
  translatingErrors(() => checkIntervals(data, size));

/** @throws ApiError 400 if tracks reach into far too many jobs */
function splitBetween(data: LabeledData, jobs: readonly AnnotatedJob[], change: Change): Promise<LabeledData[]> {
  const steps = splitSteps(data, jobs, { action: change === 'replace' ? 'create' : change });
  return finishWithPauses(steps, new Turns().pause).catch(rethrow);
}

/** Runs a check of the engine. @throws ApiError 400 with the errors that it found */
function translatingErrors<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    return rethrow(error);
  }
}

function rethrow(error: unknown): never {
  throw error instanceof AnnotationInvalid ? new ApiError(400, error.errors) : error;
}

/** Whether there are no annotations. */
const isEmpty = (data: LabeledData): boolean =>
  data.tags.length === 0 && data.shapes.length === 0 && data.tracks.length === 0 && data.intervals.length === 0;

/** Ids of all labels that the annotations use. */
function usedLabels(data: LabeledData): Set<number> {
  const labels = new Set<number>();
  for (const object of [data.tags, data.intervals].flat()) labels.add(object.label_id);
  for (const object of [data.shapes, data.tracks].flat()) {
    labels.add(object.label_id);
    for (const element of object.elements) labels.add(element.label_id);
  }
  return labels;
}

type LabelRows = Awaited<ReturnType<LabelService['ofOwner']>>;
type Attributes = LabelRows[number]['attributes'];

/** The labels that annotations of a task can use: those of its project or, without a project, its own. */
export async function labelsOf(
  db: Queryable,
  labels: LabelService,
  task: Pick<AnnotatedTask, 'id' | 'project_id'>,
): Promise<LabelIndex> {
  const owner =
    task.project_id === null
      ? ({ kind: 'task', id: task.id } as const)
      : ({ kind: 'project', id: task.project_id } as const);
  return new LabelIndex(specs(await labels.ofOwner(db, owner)));
}

const specs = (rows: LabelRows): LabelSpec[] =>
  rows.flatMap((row) => [
    { id: row.id, type: row.type, parentId: null, attributes: attributes(row.attributes) },
    ...row.sublabels.map((sublabel) => ({
      id: sublabel.id,
      type: sublabel.type,
      parentId: row.id,
      attributes: attributes(sublabel.attributes),
    })),
  ]);

const attributes = (rows: Attributes): LabelSpec['attributes'] =>
  rows.map((row) => ({
    id: row.id,
    mutable: row.mutable,
    defaultValue: row.default_value,
    inputType: row.input_type,
    values: row.values,
  }));
