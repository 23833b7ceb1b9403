import { Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import type { Actor } from '../../shared/policy/actor.js';
import { JobService } from '../jobs/index.js';
import { TaskRepository, TaskService } from '../tasks/index.js';
import { AnnotatedTaskRepository } from './annotated-task.repository.js';
import { AnnotationRepository } from './annotation.repository.js';
import { RevisionRecorder } from './history/revision.recorder.js';
import { RevisionRepository } from './history/revision.repository.js';

/** Deletes the annotations of single frames. */
@Injectable()
export class FrameAnnotations {
  constructor(
    private readonly annotated: AnnotatedTaskRepository,
    private readonly annotations: AnnotationRepository,
    private readonly revisions: RevisionRepository,
    private readonly recorder: RevisionRecorder,
    private readonly jobs: JobService,
    private readonly tasks: TaskService,
    private readonly taskRows: TaskRepository,
  ) {}

  /** Locks the annotations of the task's jobs until the transaction ends. Call it before locking the task. */
  async lock(tx: Tx, taskId: number): Promise<void> {
    await this.annotated.lock(tx, await this.annotated.jobIds(tx, [taskId]));
  }

  /**
   * Deletes the tags and shapes on frames whose image changes, as a save with its own revision and event.
   * The caller has locked the jobs, and the task after them.
   * @param jobIds the jobs that have the frames
   */
  async clear(
    tx: Tx,
    actor: Actor,
    taskId: number,
    { jobIds, frames }: { readonly jobIds: readonly number[]; readonly frames: readonly number[] },
  ): Promise<void> {
    const task = await this.annotated.of(tx, { kind: 'task', id: taskId });
    const saving = await this.revisions.begin(tx, 'delete', task);
    const changed = await this.annotations.deleteOnFrames(tx, jobIds, frames, saving.revision);
    for (const id of changed) saving.changedJobs.add(id);
    await this.taskRows.lock(tx, taskId);
    await this.jobs.touch(
      tx,
      actor,
      changed.toSorted((a, b) => a - b),
    );
    await this.tasks.touch(tx, actor, taskId, { touchProject: true });
    if (changed.length > 0) await this.recorder.record(tx, actor, [saving]);
  }
}
