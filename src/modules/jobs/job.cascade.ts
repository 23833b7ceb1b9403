import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { type Cascade, Cascades } from '../../core/outbox/cascades.js';
import { EventRecorder } from '../../core/outbox/event-recorder.js';
import { rowsByPlace } from '../../core/outbox/rows-by-place.js';
import type { Actor } from '../../policy/actor.js';
import { type JobRow, placeOf, toJob } from './job.mapper.js';
import { JobRepository } from './job.repository.js';

/** Tells the deletion of jobs, after that of what is in them. */
@Injectable()
export class JobCascade implements OnModuleInit {
  constructor(
    @Inject(Cascades) private readonly cascades: Cascades,
    @Inject(JobRepository) private readonly jobs: JobRepository,
    @Inject(EventRecorder) private readonly events: EventRecorder,
  ) {}

  onModuleInit(): void {
    this.cascades.on('task', async (tx, { ids, actor }: Cascade) => {
      await this.tell(tx, actor, await this.jobs.lockOfTasks(tx, ids, actor.id));
    });
  }

  /** To be called before the rows go. */
  async tell(tx: Tx, actor: Actor, rows: readonly JobRow[]): Promise<void> {
    await this.cascades.run(tx, { resource: 'job', ids: rows.map((row) => row.id), actor });
    for (const group of rowsByPlace(rows)) {
      const changes = group.map((row) => ({ after: toJob(row, actor) }));
      const [first] = group;
      if (first !== undefined)
        await this.events.record(tx, actor, { operation: 'delete', resource: 'job' }, placeOf(first), changes);
    }
  }
}
