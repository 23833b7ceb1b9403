import { Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { BeforeDeleting, type Cascade, Cascades } from '../../core/events/cascades.js';
import { Events, inBatches } from '../../core/events/events.js';
import type { Actor } from '../../shared/policy/actor.js';
import { jobScope } from './job.events.js';
import { toJob } from './job.dto.js';
import { JobRepository } from './job.repository.js';

/** Records the deletion of jobs, after the deletion of what is in them. */
@Injectable()
export class JobDeletion {
  constructor(
    private readonly cascades: Cascades,
    private readonly rows: JobRepository,
    private readonly events: Events,
  ) {}

  @BeforeDeleting('task')
  async onDeletionOfTasks(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    await this.record(tx, actor, await this.rows.lockOfTasks(tx, ids));
  }

  /** Locks what is in the jobs. Call it before their task is locked. */
  lock(tx: Tx, ids: readonly number[]): Promise<void> {
    return this.cascades.lock(tx, 'job', ids);
  }

  /** Call it before the rows are deleted. @param ids newest first: the order of the events */
  async record(tx: Tx, actor: Actor, ids: readonly number[]): Promise<void> {
    await this.cascades.run(tx, { resource: 'job', ids, actor });
    for (const part of inBatches(ids)) {
      const rows = (await this.rows.findAll(tx, part, actor.id)).toReversed();
      const deleted = rows.map((row) => ({ object: toJob(row, actor), scope: jobScope(row) }));
      await this.events.deleted(tx, actor, 'job', deleted);
    }
  }
}
