import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { BeforeDeleting, type Cascade, Cascades } from '../../core/outbox/cascades.js';
import { EventRecorder, NOWHERE } from '../../core/outbox/event-recorder.js';
import { inParts } from '../../core/outbox/parts.js';
import type { Actor } from '../../shared/policy/actor.js';
import { placeOf, toJob } from './job.mapper.js';
import { JobRepository } from './job.repository.js';

/** Tells the deletion of jobs, after that of what is in them. */
@Injectable()
export class JobCascade {
  constructor(
    @Inject(Cascades) private readonly cascades: Cascades,
    @Inject(JobRepository) private readonly jobs: JobRepository,
    @Inject(EventRecorder) private readonly events: EventRecorder,
  ) {}

  @BeforeDeleting('task')
  async onDeletionOfTasks(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    await this.tell(tx, actor, await this.jobs.lockOfTasks(tx, ids));
  }

  /** To be called before the jobs' task is locked, when they are about to go. */
  lock(tx: Tx, ids: readonly number[]): Promise<void> {
    return this.cascades.lock(tx, 'job', ids);
  }

  /** To be called before the rows go. @param ids newest first, as they are told */
  async tell(tx: Tx, actor: Actor, ids: readonly number[]): Promise<void> {
    await this.cascades.run(tx, { resource: 'job', ids, actor });
    for (const part of inParts(ids)) {
      const rows = (await this.jobs.findAll(tx, part, actor.id)).toReversed();
      const changes = rows.map((row) => ({ after: toJob(row, actor), place: placeOf(row) }));
      await this.events.record(tx, actor, { operation: 'delete', resource: 'job' }, NOWHERE, changes);
    }
  }
}
