import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { LockBeforeDeleting } from '../../core/outbox/cascades.js';
import { AnnotatedTaskRepository } from './annotated-task.repository.js';

/** Annotations go with their jobs: nobody saves any to a job that is about to go. */
@Injectable()
export class AnnotationsOfJobs {
  constructor(@Inject(AnnotatedTaskRepository) private readonly tasks: AnnotatedTaskRepository) {}

  @LockBeforeDeleting('job')
  lockJobs(tx: Tx, ids: readonly number[]): Promise<void> {
    return this.tasks.lock(tx, ids);
  }

  @LockBeforeDeleting('task')
  async lockTasks(tx: Tx, ids: readonly number[]): Promise<void> {
    await this.tasks.lock(tx, await this.tasks.jobIds(tx, ids));
  }
}
