import type { Urls } from '../../core/http/urls.js';
import { sourceStorage, type StoragesRow, targetStorage } from '../storages/index.js';
import { readBasicUser } from '../users/index.js';
import type { TaskDto } from './task.dto.js';

export interface TaskRow extends StoragesRow {
  readonly id: number;
  readonly name: string;
  readonly project_id: number | null;
  readonly mode: string;
  readonly owner_id: number | null;
  readonly assignee_id: number | null;
  readonly bug_tracker: string;
  readonly created_date: string;
  readonly updated_date: string;
  readonly overlap: number | null;
  readonly segment_size: number;
  readonly status: string;
  readonly dimension: string;
  readonly subset: string;
  readonly consensus_replicas: number;
  readonly organization_id: number | null;
  readonly assignee_updated_date: string | null;
  readonly guide_id: number | null;
  readonly data_id: number | null;
  readonly chunk_size: number | null;
  readonly compressed_chunk_type: string;
  readonly original_chunk_type: string;
  readonly size: number;
  readonly image_quality: number;
  readonly validation_mode: string | null;
  readonly jobs: { readonly count: number; readonly completed: number; readonly validation: number };
}

/** The keys about data are absent until data is uploaded. The order of the keys is part of the contract. */
export function toTask(row: TaskRow, urls: Urls): TaskDto {
  const withData = row.data_id !== null;
  return {
    url: urls.task(row.id),
    id: row.id,
    name: row.name,
    project_id: row.project_id,
    mode: row.mode,
    owner: readBasicUser(row, 'owner', urls),
    assignee: readBasicUser(row, 'assignee', urls),
    bug_tracker: row.bug_tracker,
    created_date: row.created_date,
    updated_date: row.updated_date,
    overlap: row.overlap,
    segment_size: row.segment_size,
    status: row.status,
    ...(withData ? { data_chunk_size: row.chunk_size, data_compressed_chunk_type: row.compressed_chunk_type } : {}),
    guide_id: row.guide_id,
    ...(withData
      ? {
          data_original_chunk_type: row.original_chunk_type,
          size: row.size,
          image_quality: row.image_quality,
          data: row.data_id ?? 0,
        }
      : {}),
    dimension: row.dimension,
    subset: row.subset,
    organization: row.organization_id,
    target_storage: targetStorage(row),
    source_storage: sourceStorage(row),
    jobs: { ...row.jobs, url: urls.children('jobs', 'task_id', row.id) },
    labels: { url: urls.children('labels', 'task_id', row.id) },
    assignee_updated_date: row.assignee_updated_date,
    validation_mode: row.validation_mode,
    consensus_enabled: row.consensus_replicas > 0,
  };
}
