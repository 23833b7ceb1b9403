import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { Urls } from '../../core/http/urls.js';
import { type Cascade, Cascades } from '../../core/outbox/cascades.js';
import { EventRecorder } from '../../core/outbox/event-recorder.js';
import { rowsByPlace } from '../../core/outbox/rows-by-place.js';
import { toTask } from './task.mapper.js';
import { TaskRepository } from './task.repository.js';

/** Deletes the tasks of projects that go: tells what is in them, then the tasks, newest first. */
@Injectable()
export class TaskCascade implements OnModuleInit {
  constructor(
    @Inject(Cascades) private readonly cascades: Cascades,
    @Inject(TaskRepository) private readonly tasks: TaskRepository,
    @Inject(EventRecorder) private readonly events: EventRecorder,
  ) {}

  onModuleInit(): void {
    this.cascades.on('project', (tx, cascade) => this.deleteOfProjects(tx, cascade));
  }

  private async deleteOfProjects(tx: Tx, { ids: projectIds, actor }: Cascade): Promise<void> {
    const rows = await this.tasks.lockOfProjects(tx, projectIds);
    const ids = rows.map((row) => row.id);
    await this.cascades.run(tx, { resource: 'task', ids, actor });
    const urls = new Urls(actor.baseUrl);
    for (const group of rowsByPlace(rows)) {
      const [first] = group;
      const place = { organizationId: first?.organization_id ?? null, projectId: first?.project_id ?? null };
      const changes = group.map((row) => ({ after: toTask(row, urls) }));
      await this.events.record(tx, actor, { operation: 'delete', resource: 'task' }, place, changes);
    }
    await this.tasks.deleteAll(tx, ids);
  }
}
