import { unwrap } from 'cairn-client';
import { queryOptions, useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { StoredChange } from '#shared/annotations/editing/document';
import { ANYWHERE, api, inOrganization, type Issue, type Job, type Label, readAll, type User } from '../../../app/api';
import { useUser } from '../../../app/session';
import { completed } from '../editing/completed-save';
import type { UnsavedStore } from '../editing/unsaved-store';
import { FrameSet } from '../frames/frame-set';
import { useSettings } from '../settings/settings';
import { type AnnotationState, readAnnotations, readLabels } from './annotation-state';
import { annotationsAhead, takeAnnotations } from './annotations-ahead';
import { jobKey, jobQuery, metaQuery } from './job-queries';
import { ORGANIZATIONS_QUERY } from '../../../app/organization-menu';
import { readKnown } from '../../../components/names';
import { JobRights } from '../../../components/rights';

/** Annotations are loaded once. Changes by others appear when the page is opened again. */
const FOREVER = Infinity;

export const issuesKey = (jobId: number): readonly unknown[] => ['issues', 'of-job', jobId];
export const commentsKey = (issueId: number): readonly unknown[] => ['comments', 'of-issue', issueId];

export interface JobContent {
  readonly job: Job;
  readonly frames: FrameSet;
}

/** The job and its frames, which the first frame requires. Both are requested in parallel. */
export function useJobContent(id: number): UseQueryResult<JobContent> {
  const { areDeletedShown } = useSettings();
  const [job, meta] = useQueries({ queries: [jobQuery(id), metaQuery(id)] });
  const range = job.data && `${job.data.start_frame} ${job.data.stop_frame}`;
  const frames = useMemo(() => {
    if (job.data === undefined || meta.data === undefined) return undefined;
    return new FrameSet({ job: job.data, meta: meta.data }, areDeletedShown);
    // A new state of the job does not change its frames.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [range, meta.data, areDeletedShown]);
  const data = job.data === undefined || frames === undefined ? undefined : { job: job.data, frames };
  const failed = job.error === null ? meta : job;
  return { ...failed, data } as UseQueryResult<JobContent>;
}

/** The annotations of a job as the server has them, and their labels. */
export interface LoadedAnnotations extends AnnotationState {
  readonly labels: readonly Label[];
  /** What an earlier page has left unsaved. */
  readonly unsaved: readonly StoredChange[];
}

/**
 * All annotations of the job, with their labels. Labels, issues and comments are requested without an organization,
 * because the assignee of a job need not be a member of its organization.
 */
export function useAnnotations(id: number, store: UnsavedStore, enabled: boolean): UseQueryResult<LoadedAnnotations> {
  return useQuery({
    // Every page loads them anew. Once loaded they are edited, so nothing may load them again.
    queryKey: [...jobKey(id), 'annotations', store.slot],
    enabled,
    initialData: () => annotationsAhead(id),
    queryFn: async ({ signal }) => {
      const ahead = await takeAnnotations(id);
      if (ahead !== undefined) return ahead;
      const unsaved = await unsavedWork(id, store);
      const [labels, annotations] = await Promise.all([readLabels(id), readAnnotations(id, signal)]);
      return { ...annotations, labels, unsaved };
    },
    staleTime: FOREVER,
    gcTime: 0, // the editor has changed them since
    structuralSharing: false,
  });
}

/** @returns what earlier pages have left unsaved, after their last requests are completed */
const unsavedWork = (id: number, store: UnsavedStore): Promise<readonly StoredChange[]> =>
  store.takeOver(({ changes, pending }) =>
    pending === undefined ? Promise.resolve(changes) : completed(id, changes, pending),
  );

export const issuesQuery = (jobId: number) =>
  queryOptions({
    queryKey: issuesKey(jobId),
    queryFn: () => readAll('/api/issues', { query: { job_id: jobId, sort: 'id' }, headers: ANYWHERE }),
  });

export const useIssues = (jobId: number): UseQueryResult<Issue[]> => useQuery(issuesQuery(jobId));

export interface Surroundings {
  readonly rights: JobRights;
  /** Whether the user can open the page of the task. */
  readonly seesTask: boolean;
  /** Slug of the job's organization, in which issues and comments are created. Empty for none. */
  readonly organization: string;
}

export const surroundingsQuery = (job: Job, user: User) =>
  queryOptions({
    queryKey: [...jobKey(job.id), 'surroundings', user.id],
    queryFn: async ({ client }) => {
      const { task_id: taskId, project_id: projectId, organization: organizationId } = job;
      const organizations = organizationId === null ? [] : await client.fetchQuery(ORGANIZATIONS_QUERY);
      const organization = organizations.find(({ id }) => id === organizationId) ?? null;
      const headers = inOrganization(organization?.slug);
      const [tasks, projects, role] = await Promise.all([
        readKnown('tasks', [taskId], headers),
        projectId === null ? undefined : readKnown('projects', [projectId], headers),
        roleIn(organization?.slug, user.username),
      ]);
      return { task: tasks.get(taskId) ?? null, project: projects?.get(projectId ?? 0) ?? null, organization, role };
    },
    staleTime: 60_000,
  });

/** The context of a job, and the user's permissions for it. */
export function useSurroundings(job: Job): Surroundings | undefined {
  const user = useUser();
  const { data } = useQuery(surroundingsQuery(job, user));
  return useMemo(() => {
    if (data === undefined) return undefined;
    return {
      rights: new JobRights({ user, job, ...data }),
      seesTask: data.task !== null,
      organization: data.organization?.slug ?? '',
    };
  }, [job, data, user]);
}

async function roleIn(slug: string | undefined, username: string) {
  if (slug === undefined) return null;
  const headers = { 'X-Organization': slug };
  const params = { query: { user: username, page_size: 'all' } };
  const { results } = unwrap(await api.GET('/api/memberships', { params, headers }));
  return results.find(({ is_active: isActive }) => isActive)?.role ?? null;
}

/** Comments of an issue, oldest first. */
export function useComments({ id: issueId, job: jobId }: Issue) {
  return useQuery({
    queryKey: commentsKey(issueId),
    queryFn: () =>
      readAll('/api/comments', { query: { issue_id: issueId, job_id: jobId, sort: 'id' }, headers: ANYWHERE }),
  });
}
