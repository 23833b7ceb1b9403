import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Actor } from '../../shared/policy/actor.js';
import {
  ChangesLabelOwner,
  deletedLabels,
  type LabelChangeDto,
  LabelService,
  RequiresLabelOwner,
} from '../labels/index.js';
import type { TaskDto } from './task.dto.js';
import { TaskRepository } from './task.repository.js';
import { TaskService } from './task.service.js';

/** Changes the labels of tasks that are in no project, as a change of the task. */
@Injectable()
export class TaskLabels {
  constructor(
    private readonly work: UnitOfWork,
    private readonly tasks: TaskService,
    private readonly rows: TaskRepository,
    private readonly labels: LabelService,
  ) {}

  @RequiresLabelOwner('task')
  async require(db: Queryable, actor: Actor, id: number, scope: 'view' | 'update:desc'): Promise<void> {
    await this.tasks.require(db, actor, id, scope);
  }

  @ChangesLabelOwner('task')
  change(actor: Actor, id: number, change: (tx: Tx) => Promise<void>, deleted: readonly number[]): Promise<TaskDto> {
    return this.work.run(async (tx) => {
      await this.labels.lockDeleted(tx, { kind: 'task', id }, deleted);
      return this.tasks.change(tx, actor, id, async () => {
        await change(tx);
        await this.rows.touchJobs(tx, id, tx.now);
        return [];
      });
    });
  }

  /** Call it before the task is locked. */
  lockDeleted(tx: Tx, id: number, changes: readonly LabelChangeDto[] | undefined): Promise<void> {
    return this.labels.lockDeleted(tx, { kind: 'task', id }, deletedLabels(changes));
  }

  /** Call it once the task is locked. */
  async write(tx: Tx, actor: Actor, id: number, changes: readonly LabelChangeDto[]): Promise<void> {
    await this.labels.changeAll(tx, actor, { kind: 'task', id }, changes);
    await this.rows.touchJobs(tx, id, tx.now);
  }
}
