import { Urls } from '../../core/http/urls.js';
import type { Actor } from '../../shared/policy/actor.js';
import type { JobFacts } from '../../shared/policy/job.policy.js';
import { taskPolicy } from '../../shared/policy/task.policy.js';
import { sourceStorage, type StoragesRow, targetStorage } from '../storages/index.js';
import { readTaskFacts, type TaskFactsRow } from '../tasks/index.js';
import { readBasicUser } from '../users/index.js';
import type { JobDto } from './job.dto.js';

/** A job, and the facts that the policy needs about it. */
export interface JobRow extends TaskFactsRow, StoragesRow {
  readonly id: number;
  readonly task_id: number;
  readonly project_id: number | null;
  readonly organization_id: number | null;
  readonly segment_id: number;
  readonly type: string;
  readonly status: string;
  readonly stage: string;
  readonly state: string;
  readonly assignee_id: number | null;
  readonly assignee_updated_date: string | null;
  readonly parent_job_id: number | null;
  readonly created_date: string;
  readonly updated_date: string;
  readonly dimension: string;
  readonly mode: string;
  readonly bug_tracker: string | null;
  readonly consensus_replicas: number;
  readonly frame_count: number;
  readonly start_frame: number;
  readonly stop_frame: number;
  readonly segment_type: string;
  readonly chunk_size: number | null;
  readonly compressed_chunk_type: string | null;
  readonly original_chunk_type: string | null;
  readonly guide_id: number | null;
  readonly issue_count: number;
}

export const factsOf = (row: TaskFactsRow & { readonly assignee_id: number | null }): JobFacts => ({
  assigneeId: row.assignee_id,
  task: readTaskFacts(row),
});

/**
 * A job as `actor` may see it: people who may not see the task do not see its storages.
 * @param actor the person whose facts the row holds; null if there is none
 */
export function toJob(row: JobRow, actor: Actor | null): JobDto {
  const urls = new Urls(actor?.baseUrl ?? '');
  const sees = actor !== null && taskPolicy.allow('view', actor, readTaskFacts(row));
  return {
    url: urls.job(row.id),
    id: row.id,
    task_id: row.task_id,
    project_id: row.project_id,
    assignee: readBasicUser(row, 'assignee', urls),
    guide_id: row.guide_id,
    dimension: row.dimension,
    bug_tracker: row.bug_tracker,
    status: row.status,
    stage: row.stage,
    state: row.state,
    mode: row.mode,
    frame_count: row.frame_count,
    start_frame: row.start_frame,
    stop_frame: row.stop_frame,
    data_chunk_size: row.chunk_size,
    data_compressed_chunk_type: row.segment_type === 'specific_frames' ? 'imageset' : row.compressed_chunk_type,
    data_original_chunk_type: row.original_chunk_type,
    created_date: row.created_date,
    updated_date: row.updated_date,
    issues: { url: urls.children('issues', 'job_id', row.id), count: row.issue_count },
    labels: { url: urls.children('labels', 'job_id', row.id) },
    type: row.type,
    organization: row.organization_id,
    target_storage: sees ? targetStorage(row) : null,
    source_storage: sees ? sourceStorage(row) : null,
    assignee_updated_date: row.assignee_updated_date,
    parent_job_id: row.parent_job_id,
    consensus_replicas: row.consensus_replicas,
  };
}
