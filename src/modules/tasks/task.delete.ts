import { Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/http/errors/errors.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Urls } from '../../core/http/response/urls.js';
import { BeforeDeleting, type Cascade, Cascades, LockBeforeDeleting } from '../../core/events/cascades.js';
import { Events, inBatches } from '../../core/events/events.js';
import type { Actor } from '../../shared/policy/actor.js';
import { ProjectService } from '../projects/index.js';
import { taskScope } from './task.events.js';
import { toTask } from './task.dto.js';
import { TaskRepository } from './task.repository.js';
import { TaskService } from './task.service.js';

/** Tasks per batch of events: in version 2.0, the payload of a task has all its jobs. */
const BATCH = 50;

/** Deletes tasks with everything in them: one by request, or those of a project that is deleted. */
@Injectable()
export class TaskDeletion {
  constructor(
    private readonly work: UnitOfWork,
    private readonly tasks: TaskService,
    private readonly rows: TaskRepository,
    private readonly projects: ProjectService,
    private readonly cascades: Cascades,
    private readonly events: Events,
    private readonly preconditions: Preconditions,
  ) {}

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      await this.tasks.require(tx, actor, id, 'delete');
      await this.cascades.lock(tx, 'task', [id]);
      await this.rows.lock(tx, id);
      const row = await this.rows.find(tx, id);
      if (row === undefined) throw NotFound.of('Task');
      const task = toTask(row, new Urls(actor.baseUrl));
      await this.preconditions.require(tx, 'task', task);
      await this.cascades.run(tx, { resource: 'task', ids: [id], actor });
      await this.projects.touch(tx, actor, row.project_id);
      await this.events.deleted(tx, actor, 'task', { object: task, scope: taskScope(task) });
      await this.rows.delete(tx, id);
    });
  }

  @LockBeforeDeleting('project')
  async lockOfProjects(tx: Tx, projectIds: readonly number[]): Promise<void> {
    await this.cascades.lock(tx, 'task', await this.rows.ofProjects(tx, projectIds));
    await this.rows.lockOfProjects(tx, projectIds);
  }

  /** Records the deletion of the contents of the tasks, then of the tasks, newest first. */
  @BeforeDeleting('project')
  async deleteOfProjects(tx: Tx, { ids: projectIds, actor }: Cascade): Promise<void> {
    const ids = await this.rows.lockOfProjects(tx, projectIds);
    await this.cascades.run(tx, { resource: 'task', ids, actor });
    const urls = new Urls(actor.baseUrl);
    for (const part of inBatches(ids, BATCH)) {
      const tasks = (await this.rows.findAll(tx, part)).toReversed().map((row) => toTask(row, urls));
      const deleted = tasks.map((task) => ({ object: task, scope: taskScope(task) }));
      await this.events.deleted(tx, actor, 'task', deleted);
    }
    await this.rows.deleteAll(tx, ids);
  }
}
