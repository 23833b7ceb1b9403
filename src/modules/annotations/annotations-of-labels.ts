import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { type Cascade, Cascades } from '../../core/outbox/cascades.js';
import { or, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { AnnotatedTaskRepository } from './annotated-task.repository.js';
import { TABLES } from './annotation-tables.js';
import { AnnotationRepository } from './annotation.repository.js';
import { RevisionRecorder } from './history/revision.recorder.js';
import { RevisionRepository } from './history/revision.repository.js';
import { Saving } from './history/saving.js';

const LABELED = [TABLES.tag, TABLES.shape, TABLES.track, TABLES.interval];

/** Annotations go with their labels: as a save of each task, so that it can be read afterwards what they were. */
@Injectable()
export class AnnotationsOfLabels implements OnModuleInit {
  constructor(
    @Inject(Cascades) private readonly cascades: Cascades,
    @Inject(AnnotatedTaskRepository) private readonly tasks: AnnotatedTaskRepository,
    @Inject(AnnotationRepository) private readonly annotations: AnnotationRepository,
    @Inject(RevisionRepository) private readonly revisions: RevisionRepository,
    @Inject(RevisionRecorder) private readonly recorder: RevisionRecorder,
  ) {}

  onModuleInit(): void {
    this.cascades.on('label', (tx, cascade) => this.remove(tx, cascade));
  }

  private async remove(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    const labels = await tx.query<{ id: number }>(sql`
      select id from label where id = any(${[...ids]}::int[]) or parent_id = any(${[...ids]}::int[]) order by id for update`);
    const labelIds = labels.map((label) => label.id);
    const has = (table: string): Sql =>
      sql`exists (select from ${raw(table)} where job_id = job.id and label_id = any(${labelIds}::int[]))`;
    const tasks = await tx.query<{ id: number }>(sql`
      select distinct job.task_id as id
      from label join task on task.id = label.task_id or task.project_id = label.project_id join job on job.task_id = task.id
      where label.id = any(${[...ids]}::int[]) and ${or(LABELED.map(has))} order by 1`);
    for (const { id } of tasks) {
      const jobIds = await this.tasks.jobIds(tx, id);
      await this.tasks.lock(tx, jobIds);
      const saving = new Saving(
        await this.revisions.reserve(tx),
        'labels',
        await this.tasks.of(tx, { kind: 'task', id }),
      );
      const changed = await this.annotations.deleteOfLabels(tx, jobIds, labelIds, saving.revision);
      for (const job of changed) saving.changedJobs.add(job);
      if (changed.length > 0) await this.recorder.record(tx, actor, saving);
    }
  }
}
