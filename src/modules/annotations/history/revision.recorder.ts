import { Injectable } from '@nestjs/common';
import { dateToWire } from '../../../core/database/data-source.js';
import type { Tx } from '../../../core/database/tx.js';
import type { EventScope } from '../../../core/events/event-map.js';
import { Events } from '../../../core/events/events.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { JobRepository, JobService } from '../../jobs/index.js';
import { EmbeddedLabels, LabelService } from '../../labels/index.js';
import { ProjectService } from '../../projects/index.js';
import { TaskService } from '../../tasks/index.js';
import { senderOf } from '../../users/index.js';
import {
  type ChangedObjectDto,
  noChanges,
  type RevisionCounts,
  type RevisionRow,
  revisionsUrl,
  type SavedAnnotationsDto,
  type SavedChangesDto,
  sumOfCounts,
  toRevision,
} from './revision.dto.js';
import { type CountRow, type Restored, RevisionRepository } from './revision.repository.js';
import { MAX_LISTED, type ObjectKind, type PendingRevision, sumOf, type TouchedObject } from './pending-revision.js';

/** Saves, with what they changed. */
interface DescribedSaves {
  readonly savings: readonly PendingRevision[];
  /** By job. */
  readonly counts: ReadonlyMap<number, RevisionCounts>;
  /** Without saves that touched too many objects. */
  readonly changes: ReadonlyMap<PendingRevision, SavedChangesDto>;
}

/** Records a save in the history, and its event in the outbox. */
@Injectable()
export class RevisionRecorder {
  constructor(
    private readonly revisions: RevisionRepository,
    private readonly events: Events,
  ) {}

  /** Call it as the last step of saves that changed something. Each save belongs to one task. */
  async record(tx: Tx, actor: Actor, savings: readonly PendingRevision[]): Promise<void> {
    await this.write(tx, actor, await this.describe(tx, savings));
  }

  /** Reads what saves changed. */
  async describe(tx: Tx, savings: readonly PendingRevision[]): Promise<DescribedSaves> {
    const counts = await this.counts(tx, savings);
    const listed = savings.filter((saving) => touchedBy(saving, counts) <= MAX_LISTED);
    return { savings, counts, changes: await this.changes(tx, listed) };
  }

  /** Writes the revisions and records their events. Takes no round trip. */
  async write(tx: Tx, actor: Actor, saves: DescribedSaves, restored: Restored | null = null): Promise<void> {
    const { savings, counts, changes } = saves;
    this.revisions.insert(tx, { savings, authorId: actor.id, restored, counts, now: tx.now });
    const date = dateToWire(tx.now);
    const saved = savings.map((saving) => {
      const target = { kind: 'task', id: saving.task.id } as const;
      const object: SavedAnnotationsDto = {
        ...toRevision(rowOf(saving, { counts, restored, date }), target, actor.baseUrl),
        author: senderOf(actor),
        changes: changes.get(saving) ?? null,
        changes_url: `${revisionsUrl(target, actor.baseUrl)}/${saving.revision}/changes`,
      };
      return { object, scope: scopeOf(saving) };
    });
    await this.events.updatedTo(tx, actor, 'annotations', saved);
  }

  private async counts(tx: Tx, savings: readonly PendingRevision[]): Promise<Map<number, RevisionCounts>> {
    const jobs = savings.flatMap((saving) => [...saving.changedJobs]);
    const counts = new Map(jobs.map((id) => [id, noChanges()]));
    for (const [job, written] of await this.written(tx, savings)) {
      const part = counts.get(job);
      if (part !== undefined) Object.assign(part.created, written);
    }
    for (const { job_id: job, kind, removed, updated } of await this.removed(tx, savings)) {
      const part = counts.get(job);
      if (part === undefined) continue;
      part.created[kind] -= updated;
      part.updated[kind] = updated;
      part.deleted[kind] = removed - updated;
    }
    return counts;
  }

  /** Counts what the saves wrote. A restore happens in the database, so its counts are read from there. */
  private async written(
    tx: Tx,
    savings: readonly PendingRevision[],
  ): Promise<Map<number, Partial<Record<ObjectKind, number>>>> {
    const found = new Map<number, Partial<Record<ObjectKind, number>>>(savings.flatMap(({ written }) => [...written]));
    const restored = savings.filter(isRestoration);
    if (restored.length === 0) return found;
    for (const { job_id: job, kind, written } of await this.revisions.written(tx, restored)) {
      found.set(job, { ...found.get(job), [kind]: written });
    }
    return found;
  }

  private removed(tx: Tx, savings: readonly PendingRevision[]): Promise<CountRow[]> {
    const removing = savings.filter(removesSome);
    return removing.length === 0 ? Promise.resolve([]) : this.revisions.removed(tx, removing);
  }

  private async changes(tx: Tx, savings: readonly PendingRevision[]): Promise<Map<PendingRevision, SavedChangesDto>> {
    const removed = await this.objects(tx, savings.filter(removesSome), 'removed');
    const restored = await this.objects(tx, savings.filter(isRestoration), 'written');
    return new Map(
      savings.map((saving) => [
        saving,
        listedChanges(removed.get(saving) ?? [], restored.get(saving) ?? saving.objects),
      ]),
    );
  }

  /** The objects that each save removed or wrote, in the order of the event. */
  private async objects(
    tx: Tx,
    savings: readonly PendingRevision[],
    which: 'removed' | 'written',
  ): Promise<Map<PendingRevision, TouchedObject[]>> {
    const lists = new Map<PendingRevision, TouchedObject[]>(savings.map((saving) => [saving, []]));
    if (savings.length === 0) return lists;
    const listOf = new Map([...lists].flatMap(([{ changedJobs }, list]) => [...changedJobs].map((job) => [job, list])));
    for (const object of await this.revisions.objects(tx, savings, which)) listOf.get(object.job_id)?.push(object);
    return lists;
  }
}

/** Records a save, and the updates of its jobs, its task and its project. */
@Injectable()
export class SaveRecorder {
  constructor(
    private readonly recorder: RevisionRecorder,
    private readonly jobs: JobService,
    private readonly jobRows: JobRepository,
    private readonly tasks: TaskService,
    private readonly projects: ProjectService,
    private readonly labels: LabelService,
  ) {}

  /**
   * Call it as the last step of a save. It locks the task, its jobs and its project, as every change of jobs does, but
   * only now, and writes without further round trips: others who save in the same task wait for these rows. A save that
   * changed nothing gets no revision.
   * @returns the numbers of objects that the save changed
   */
  async record(
    tx: Tx,
    actor: Actor,
    saving: PendingRevision,
    restored: Restored | null = null,
  ): Promise<RevisionCounts> {
    const { id } = saving.task;
    const jobIds = [...saving.changedJobs].toSorted((a, b) => a - b);
    const saves = await this.recorder.describe(tx, [saving]);
    const [task, rows, project, used] = await Promise.all([
      this.tasks.lock(tx, id),
      this.jobRows.lock(tx, jobIds, actor.id),
      this.projects.lockOfTask(tx, id),
      this.labels.usedIn(tx, 'task', [id]),
    ]);
    const labels = new EmbeddedLabels(used);
    if (jobIds.length > 0) await this.jobs.touch(tx, actor, { rows, labels });
    await this.tasks.touchLocked(tx, actor, task, labels.ofTask(task.project_id, id));
    if (project !== undefined) await this.projects.touchLocked(tx, actor, project, labels.ofProject(project.id));
    if (jobIds.length > 0) await this.recorder.write(tx, actor, saves, restored);
    return sumOfCounts([...saves.counts.values()]);
  }
}

/** The part of a revision that is not about its author. */
function rowOf(
  { revision: id, action, task, changedJobs }: PendingRevision,
  {
    counts,
    restored,
    date,
  }: Pick<DescribedSaves, 'counts'> & { readonly restored: Restored | null; readonly date: string },
): RevisionRow {
  const jobs = [...changedJobs].toSorted((a, b) => a - b);
  return {
    id,
    project_id: task.project_id,
    task_id: task.id,
    action,
    restored_id: restored?.revision ?? null,
    restored_state: restored?.state ?? null,
    created_date: date,
    parts: jobs.map((job) => ({ job_id: job, counts: counts.get(job) ?? noChanges() })),
  };
}

const isRestoration = ({ action }: PendingRevision): boolean => action === 'restore';

const removesSome = ({ action }: PendingRevision): boolean => action !== 'create';

const scopeOf = ({ task }: PendingRevision): EventScope => ({
  organizationId: task.organization_id,
  projectId: task.project_id,
});

/** The number of objects that a save touched. */
const touchedBy = ({ changedJobs }: PendingRevision, counts: ReadonlyMap<number, RevisionCounts>): number =>
  [...changedJobs].reduce((sum, job) => {
    const { created, updated, deleted } = counts.get(job) ?? noChanges();
    return sum + sumOf(created) + sumOf(updated) + sumOf(deleted);
  }, 0);

const listedChanges = (removed: readonly TouchedObject[], written: readonly TouchedObject[]): SavedChangesDto => {
  const [removedKeys, writtenKeys] = [new Set(removed.map(keyOf)), new Set(written.map(keyOf))];
  return {
    created: byKind(written.filter((object) => !removedKeys.has(keyOf(object)))),
    updated: byKind(written.filter((object) => removedKeys.has(keyOf(object)))),
    deleted: byKind(removed.filter((object) => !writtenKeys.has(keyOf(object)))),
  };
};

const keyOf = ({ job_id: job, kind, id }: TouchedObject): string => `${job} ${kind} ${id}`;

const byKind = (objects: readonly TouchedObject[]): Record<ObjectKind, ChangedObjectDto[]> => {
  const lists: Record<ObjectKind, ChangedObjectDto[]> = { tags: [], shapes: [], tracks: [], intervals: [] };
  for (const { kind, id, frame, job_id } of objects) lists[kind].push({ id, frame, job_id });
  return lists;
};
