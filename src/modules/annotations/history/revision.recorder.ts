import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import type { Tx } from '../../../core/database/tx.js';
import { EventRecorder } from '../../../core/outbox/event-recorder.js';
import type { Actor } from '../../../policy/actor.js';
import type { ChangedObjectDto, RevisionCounts, SavedAnnotationsDto, ToldChangesDto } from './revision.dto.js';
import { noChanges, revisionsUrl, toRevision } from './revision.mapper.js';
import { type Restored, RevisionRepository } from './revision.repository.js';
import { MAX_TOLD, type ObjectKind, type Saving, sumOf, type TouchedObject } from './saving.js';

/** Writes a save into the history, and tells which annotations it changed. */
@Injectable()
export class RevisionRecorder {
  constructor(
    @Inject(RevisionRepository) private readonly revisions: RevisionRepository,
    @Inject(EventRecorder) private readonly events: EventRecorder,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** The last step of a save that changed something. */
  async record(tx: Tx, actor: Actor, saving: Saving, restored: Restored | null = null): Promise<void> {
    const counts = await this.counts(tx, saving);
    await this.revisions.insert(tx, { saving, authorId: actor.id, restored, counts, now: this.clock.now() });
    await this.tell(tx, actor, saving, counts);
  }

  private async counts(tx: Tx, saving: Saving): Promise<Map<number, RevisionCounts>> {
    const jobs = [...saving.changedJobs].toSorted((a, b) => a - b);
    const counts = new Map(jobs.map((id) => [id, noChanges()]));
    for (const [job, written] of await this.written(tx, saving)) {
      const part = counts.get(job);
      if (part !== undefined) Object.assign(part.created, written);
    }
    if (saving.action === 'create') return counts;
    for (const { job_id: job, kind, removed, updated } of await this.revisions.removed(tx, saving)) {
      const part = counts.get(job);
      if (part === undefined) continue;
      part.created[kind] -= updated;
      part.updated[kind] = updated;
      part.deleted[kind] = removed - updated;
    }
    return counts;
  }

  /** A restoration is done by the database, so only it knows what was written. */
  private async written(tx: Tx, saving: Saving): Promise<ReadonlyMap<number, Partial<Record<ObjectKind, number>>>> {
    if (saving.action !== 'restore') return saving.written;
    const found = new Map<number, Partial<Record<ObjectKind, number>>>();
    for (const { job_id: job, kind, written } of await this.revisions.written(tx, saving)) {
      found.set(job, { ...found.get(job), [kind]: written });
    }
    return found;
  }

  private async tell(tx: Tx, actor: Actor, saving: Saving, counts: ReadonlyMap<number, RevisionCounts>): Promise<void> {
    const target = { kind: 'task', id: saving.task.id } as const;
    const row = await this.revisions.find(tx, target, saving.revision);
    if (row === undefined) throw new Error(`Revision ${saving.revision} was not written`);
    const revision = toRevision(row, target, actor.baseUrl);
    const touched = [...counts.values()].reduce(
      (sum, { created, updated, deleted }) => sum + sumOf(created) + sumOf(updated) + sumOf(deleted),
      0,
    );
    const after: SavedAnnotationsDto = {
      ...revision,
      changes: touched > MAX_TOLD ? null : await this.changes(tx, saving),
      changes_url: `${revisionsUrl(target, actor.baseUrl)}/${saving.revision}/changes`,
    };
    const place = { organizationId: saving.task.organization_id, projectId: saving.task.project_id };
    await this.events.record(tx, actor, { operation: 'update', resource: 'annotations' }, place, [{ after }]);
  }

  private async changes(tx: Tx, saving: Saving): Promise<ToldChangesDto> {
    const removed = saving.action === 'create' ? [] : await this.revisions.objects(tx, saving, 'removed');
    const written = saving.action === 'restore' ? await this.revisions.objects(tx, saving, 'written') : saving.objects;
    const [gone, there] = [new Set(removed.map(keyOf)), new Set(written.map(keyOf))];
    return {
      created: byKind(written.filter((object) => !gone.has(keyOf(object)))),
      updated: byKind(written.filter((object) => gone.has(keyOf(object)))),
      deleted: byKind(removed.filter((object) => !there.has(keyOf(object)))),
    };
  }
}

const keyOf = ({ job_id: job, kind, id }: TouchedObject): string => `${job} ${kind} ${id}`;

const byKind = (objects: readonly TouchedObject[]): Record<ObjectKind, ChangedObjectDto[]> => {
  const lists: Record<ObjectKind, ChangedObjectDto[]> = { tags: [], shapes: [], tracks: [], intervals: [] };
  for (const { kind, id, frame, job_id } of objects) lists[kind].push({ id, frame, job_id });
  return lists;
};
