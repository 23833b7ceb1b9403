import type { Urls } from '../../core/http/urls.js';
import { sourceStorage, type StoragesRow, targetStorage } from '../storages/index.js';
import { readBasicUser } from '../users/index.js';
import type { ProjectDto } from './project.dto.js';

export interface ProjectRow extends StoragesRow {
  readonly id: number;
  readonly name: string;
  readonly bug_tracker: string;
  readonly status: string;
  readonly created_date: string;
  readonly updated_date: string;
  readonly assignee_updated_date: string | null;
  readonly organization_id: number | null;
  readonly owner_id: number | null;
  readonly assignee_id: number | null;
  readonly guide_id: number | null;
  readonly dimension: string | null;
  readonly task_count: number;
  readonly task_subsets: string[];
}

export const toProject = (row: ProjectRow, urls: Urls): ProjectDto => ({
  url: urls.project(row.id),
  id: row.id,
  name: row.name,
  owner: readBasicUser(row, 'owner', urls),
  assignee: readBasicUser(row, 'assignee', urls),
  guide_id: row.guide_id,
  bug_tracker: row.bug_tracker,
  created_date: row.created_date,
  updated_date: row.updated_date,
  status: row.status,
  dimension: row.dimension,
  organization: row.organization_id,
  target_storage: targetStorage(row),
  source_storage: sourceStorage(row),
  tasks: { count: row.task_count, url: urls.children('tasks', 'project_id', row.id) },
  labels: { url: urls.children('labels', 'project_id', row.id) },
  assignee_updated_date: row.assignee_updated_date,
  task_subsets: row.task_subsets,
});
