import { Injectable } from '@nestjs/common';
import type { EventMap } from '../../../core/events/event-map.js';
import type { Tx } from '../../../core/database/tx.js';
import type { LoggedEvent } from '../../../core/event-log/logged-event.js';
import { commonColumns, type Names, payloadOf } from '../../../core/event-log/change-rows.js';
import { frameRanges } from './frames.js';
import { SavedObjectsRepository, type SavedGroup } from './saved-objects.repository.js';

export type AnnotationEvent = EventMap['update:annotations'];

export const OPERATIONS = { created: 'create', updated: 'update', deleted: 'delete' } as const;
export type Change = keyof typeof OPERATIONS;
const CHANGES = Object.keys(OPERATIONS) as readonly Change[];

/** The order in which the contract lists the rows of a save that replaces annotations. */
const REPLACED: readonly Change[] = ['deleted', 'updated', 'created'];

/** Rows about saves of annotations: one for each job, operation, and type of shape. */
@Injectable()
export class AnnotationRows {
  constructor(private readonly objects: SavedObjectsRepository) {}

  /** The rows by the id of the event. The number of statements grows only with saves of very many objects. */
  async of(tx: Tx, events: readonly AnnotationEvent[], names: Names): Promise<ReadonlyMap<number, LoggedEvent[]>> {
    const listed = await this.objects.listed(tx, events);
    const found = new Map<number, LoggedEvent[]>();
    for (const event of events) {
      const { object } = event.after;
      const groups = listed.get(event.id) ?? (await this.objects.long(tx, object.id, object.job_ids));
      found.set(event.id, rowsOf(event, groups, names));
    }
    return found;
  }
}

function rowsOf(event: AnnotationEvent, groups: readonly SavedGroup[], names: Names): LoggedEvent[] {
  const { action, task_id: taskId } = event.after.object;
  const order = action === 'replace' ? REPLACED : CHANGES;
  const common = { ...commonColumns(event, names), task_id: taskId };
  return groups
    .toSorted((a, b) => a.job_id - b.job_id || order.indexOf(a.change) - order.indexOf(b.change))
    .map((group) => ({
      ...common,
      scope: `${OPERATIONS[group.change]}:${group.kind}`,
      obj_name: group.type,
      count: group.count,
      job_id: group.job_id,
      payload: payloadOf(event, { [group.kind]: group.objects }),
      frames: group.change === 'deleted' ? null : (group.ranges ?? frameRanges(group.frames)),
    }));
}
