import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { Urls } from '../../core/http/urls.js';
import { type Cascade, Cascades } from '../../core/outbox/cascades.js';
import { EventRecorder, NOWHERE } from '../../core/outbox/event-recorder.js';
import { inParts } from '../../core/outbox/parts.js';
import { toTask } from './task.mapper.js';
import { TaskRepository } from './task.repository.js';

/** What is told of a task has all its jobs in it, in version 2.0: of many tasks at once that would be a great many. */
const AT_A_TIME = 50;

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
    this.cascades.onLock('project', async (tx, ids) => {
      await this.cascades.lock(tx, 'task', await this.tasks.ofProjects(tx, ids));
      await this.tasks.lockOfProjects(tx, ids);
    });
  }

  private async deleteOfProjects(tx: Tx, { ids: projectIds, actor }: Cascade): Promise<void> {
    const ids = await this.tasks.lockOfProjects(tx, projectIds);
    await this.cascades.run(tx, { resource: 'task', ids, actor });
    const urls = new Urls(actor.baseUrl);
    for (const part of inParts(ids, AT_A_TIME)) {
      const rows = (await this.tasks.findAll(tx, part)).toReversed();
      const changes = rows.map((row) => ({
        after: toTask(row, urls),
        place: { organizationId: row.organization_id, projectId: row.project_id },
      }));
      await this.events.record(tx, actor, { operation: 'delete', resource: 'task' }, NOWHERE, changes);
    }
    await this.tasks.deleteAll(tx, ids);
  }
}
