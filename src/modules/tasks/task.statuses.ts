import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { Urls } from '../../core/http/urls.js';
import { EventRecorder, NOWHERE } from '../../core/outbox/event-recorder.js';
import type { Actor } from '../../policy/actor.js';
import { toTask } from './task.mapper.js';
import { TaskRepository } from './task.repository.js';
import { placeOf } from './task.service.js';

/** Statuses of tasks, which follow from their jobs. */
@Injectable()
export class TaskStatuses {
  constructor(
    @Inject(TaskRepository) private readonly tasks: TaskRepository,
    @Inject(EventRecorder) private readonly events: EventRecorder,
  ) {}

  /**
   * Writes new statuses and tells `update:task` for each, by ascending id. Lock the tasks before. The number of
   * statements does not depend on that of the tasks.
   */
  async set(tx: Tx, actor: Actor, statuses: ReadonlyMap<number, string>): Promise<void> {
    if (statuses.size === 0) return;
    const ids = [...statuses.keys()];
    const urls = new Urls(actor.baseUrl);
    const before = new Map((await this.tasks.findAll(tx, ids)).map((row) => [row.id, toTask(row, urls)]));
    await this.tasks.setStatuses(tx, statuses, tx.now);
    const changes = (await this.tasks.findAll(tx, ids)).map((row) => {
      const after = toTask(row, urls);
      return { after, before: before.get(row.id) ?? after, place: placeOf(after) };
    });
    await this.events.record(tx, actor, { operation: 'update', resource: 'task' }, NOWHERE, changes);
  }
}

/** Each change says where it happened. */
