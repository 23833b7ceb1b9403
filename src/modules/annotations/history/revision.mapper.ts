import { Urls } from '../../../core/http/urls.js';
import { readBasicUser } from '../../users/index.js';
import type { Target } from '../annotated-task.repository.js';
import type { RevisionCounts, RevisionDto } from './revision.dto.js';
import { noObjects, OBJECT_KINDS } from './saving.js';

export interface RevisionRow {
  readonly id: number;
  readonly project_id: number | null;
  readonly task_id: number;
  readonly action: string;
  readonly restored_id: number | null;
  readonly restored_state: 'before' | 'after' | null;
  readonly created_date: string;
  readonly parts: readonly { readonly job_id: number; readonly counts: RevisionCounts }[];
}

/** A save in the history of a job or task. */
export const toRevision = (row: RevisionRow, target: Target, baseUrl: string): RevisionDto => ({
  url: `${revisionsUrl(target, baseUrl)}/${row.id}`,
  id: row.id,
  project_id: row.project_id,
  task_id: row.task_id,
  job_ids: row.parts.map((part) => part.job_id),
  action: row.action,
  author: readBasicUser(row, 'author', new Urls(baseUrl)),
  created_date: row.created_date,
  restored: row.restored_id === null ? null : { revision: row.restored_id, state: row.restored_state ?? 'after' },
  counts: sumOfCounts(row.parts.map((part) => part.counts)),
});

export const revisionsUrl = ({ kind, id }: Target, baseUrl: string): string =>
  `${baseUrl}/api/${kind}s/${id}/annotations/revisions`;

export const noChanges = (): RevisionCounts => ({
  created: noObjects(),
  updated: noObjects(),
  deleted: noObjects(),
});

function sumOfCounts(parts: readonly RevisionCounts[]): RevisionCounts {
  const sum = noChanges();
  for (const part of parts) {
    for (const change of ['created', 'updated', 'deleted'] as const) {
      for (const kind of OBJECT_KINDS) sum[change][kind] += part[change][kind];
    }
  }
  return sum;
}
