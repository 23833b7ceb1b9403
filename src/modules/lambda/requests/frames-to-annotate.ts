import { Injectable } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import { AnnotatedTaskRepository } from '../../annotations/index.js';
import { framesOf, type LambdaTarget } from '../lambda-targets.js';

/** Decides which frames of a task or job are sent to functions. */
@Injectable()
export class FramesToAnnotate {
  constructor(
    private readonly db: Db,
    private readonly annotated: AnnotatedTaskRepository,
  ) {}

  /**
   * The frames without deleted ones, ascending. Those of a ground truth pool are left to people, unless they are in the
   * job itself: a save of the whole task would copy their annotations to the frames that repeat them.
   */
  async of({ taskId, jobId, source }: LambdaTarget): Promise<number[]> {
    const frames = framesOf(source);
    if (jobId !== null) return frames;
    const pool = new Set((await this.annotated.of(this.db, { kind: 'task', id: taskId })).pool);
    return frames.filter((frame) => !pool.has(frame));
  }
}
