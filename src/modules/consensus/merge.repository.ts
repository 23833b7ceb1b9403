import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import { InvalidList } from '../../core/http/errors/errors.js';
import { sql } from '../../engines/sql/sql.js';

/** What is merged: the replicas of one job, or of all jobs of a task. */
export interface MergeTarget {
  readonly kind: 'task' | 'job';
  readonly id: number;
}

export interface ConsensusTask {
  readonly id: number;
  readonly project_id: number | null;
  readonly organization_id: number | null;
  readonly dimension: string;
  readonly consensus_replicas: number;
}

/** A job with the replicas that somebody has worked on. */
export interface ReplicatedJob {
  readonly id: number;
  readonly stage: string;
  /** Frame numbers in the task; both ends are inclusive. */
  readonly start: number;
  readonly stop: number;
  /** Sorted by id. */
  readonly replicas: readonly Replica[];
}

export interface Replica {
  readonly id: number;
  readonly assignee_id: number | null;
  /** The last save of its annotations. */
  readonly revision: number;
}

/** Identifies the annotator of a replica: the assignee, otherwise the replica itself. */
export const annotatorKey = ({ id, assignee_id: assigneeId }: Replica): string =>
  assigneeId === null ? `job ${id}` : `user ${assigneeId}`;

/** @param spatial the error for tasks with point clouds */
export function requireMergeable(task: ConsensusTask, spatial: string): void {
  if (task.consensus_replicas === 0) throw new InvalidList('Consensus is not enabled in this task');
  if (task.dimension === '3d') throw new InvalidList(spatial);
}

export const NO_JOB_IS_READY =
  'No annotation jobs in the annotation stage or no consensus_replica jobs not in the annotation - new state found';

@Injectable()
export class MergeRepository {
  async taskOf(db: Queryable, { kind, id }: MergeTarget): Promise<ConsensusTask | undefined> {
    const taskId = kind === 'task' ? sql`${id}::int` : sql`(select task_id from job where job.id = ${id})`;
    const [row] = await db.query<ConsensusTask>(sql`
      select id, project_id, organization_id, dimension, consensus_replicas from task where id = ${taskId}`);
    return row;
  }

  /** The jobs that can be merged: those in the stage annotation. Ordered by first frame. */
  async readyParents(db: Queryable, taskId: number): Promise<ReplicatedJob[]> {
    return (await this.replicatedJobs(db, taskId)).filter(({ stage }) => stage === 'annotation');
  }

  /** The jobs of which somebody has worked on a replica. Ordered by first frame. */
  replicatedJobs(db: Queryable, taskId: number): Promise<ReplicatedJob[]> {
    return db.query<ReplicatedJob>(sql`
      select parent.id, parent.stage, segment.start_frame as start, segment.stop_frame as stop,
        json_agg(json_build_object('id', replica.id, 'assignee_id', replica.assignee_id,
          'revision', coalesce(head.revision_id, 0)) order by replica.id) as replicas
      from job parent join segment on segment.id = parent.segment_id
        join job replica on replica.parent_job_id = parent.id
        left join annotation_head head on head.job_id = replica.id
      where parent.task_id = ${taskId} and parent.type = 'annotation' and replica.type = 'consensus_replica'
        and not (replica.stage = 'annotation' and replica.state = 'new')
      group by parent.id, segment.id order by segment.start_frame, parent.id`);
  }
}
