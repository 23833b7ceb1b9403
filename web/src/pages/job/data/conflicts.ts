import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { keyOf } from '#shared/annotations/editing/edited-object';
import { api, inOrganization, type Job, type QualityConflict, type QualityReport, readAll } from '../../../app/api';
import { ifAllowed } from '../../../components/if-allowed';
import { truthKeyOf } from './ground-truth';
import { jobKey } from './job-queries';
import type { Step } from './review';

const PAGE_SIZE = '500';

/** The newest quality report of a job, with its conflicts by frame. */
export interface JobConflicts {
  readonly report: QualityReport;
  readonly conflicts: readonly QualityConflict[];
}

/** The step that opens a conflict. */
export const stepTo = (conflict: QualityConflict, job: Job): Step => ({
  do: 'open-conflict',
  id: conflict.id,
  frame: conflict.frame,
  keys: keysOf(conflict, job),
});

interface Context {
  readonly job: Job;
  /** Slug of the job's organization, empty for none; undefined while it is unknown. */
  readonly organization: string | undefined;
  readonly isWanted: boolean;
}

/** @returns undefined while loading, null if there is no report that the user can see */
export function useConflicts({ job, organization, isWanted }: Context): JobConflicts | null | undefined {
  const { data } = useQuery({
    queryKey: [...jobKey(job.id), 'conflicts'],
    enabled: isWanted && organization !== undefined && job.type !== 'ground_truth' && job.dimension === '2d',
    queryFn: ({ signal }) => ifAllowed(readConflicts(job.id, organization ?? '', signal)),
    staleTime: Infinity,
  });
  return data;
}

async function readConflicts(jobId: number, organization: string, signal: AbortSignal): Promise<JobConflicts | null> {
  const headers = inOrganization(organization);
  const query = { job_id: jobId, target: 'job' as const, sort: '-id', page_size: '1' };
  const [report] = unwrap(await api.GET('/api/quality/reports', { params: { query }, headers, signal })).results;
  if (report === undefined) return null;
  const conflicts = await readAll('/api/quality/conflicts', {
    query: { report_id: report.id, sort: 'frame,id', page_size: PAGE_SIZE },
    headers,
  });
  return { report, conflicts };
}

/** @returns the keys of the objects in a conflict, the one of the job last, so that it is the active one */
const keysOf = ({ annotation_ids: objects }: QualityConflict, job: Job): string[] =>
  objects
    .map(({ obj_id: id, job_id: owner, type }) => ({ key: keyOf(type, id), isOwn: owner === job.id }))
    .toSorted((a, b) => Number(a.isOwn) - Number(b.isOwn))
    .map(({ key, isOwn }) => (isOwn ? key : truthKeyOf(key)));
