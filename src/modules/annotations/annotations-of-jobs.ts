import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Cascades } from '../../core/outbox/cascades.js';
import { AnnotatedTaskRepository } from './annotated-task.repository.js';

/** Annotations go with their jobs: nobody saves any to a job that is about to go. */
@Injectable()
export class AnnotationsOfJobs implements OnModuleInit {
  constructor(
    @Inject(Cascades) private readonly cascades: Cascades,
    @Inject(AnnotatedTaskRepository) private readonly tasks: AnnotatedTaskRepository,
  ) {}

  onModuleInit(): void {
    this.cascades.onLock('job', (tx, ids) => this.tasks.lock(tx, ids));
    this.cascades.onLock('task', async (tx, ids) => this.tasks.lock(tx, await this.tasks.jobIds(tx, ids)));
  }
}
