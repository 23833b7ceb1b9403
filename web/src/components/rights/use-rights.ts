import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { ANYWHERE, api, type CloudStorage, type Job, type Project, type Task } from '../../app/api';
import { useOrganizationSlug } from '../../app/organization';
import { useOrganizations } from '../../app/organization-menu';
import { isAdministrator, useUser } from '../../app/session';
import { useKnown } from '../names';
import { readProject } from '../tagged';
import {
  CloudStorageRights,
  isWorkerOnly,
  JobRights,
  mayCreateOrganizationWebhook,
  ProjectRights,
  type Standing,
  TaskRights,
} from './rights';

type StandingIn = (organizationId: number | null) => Standing;

/** The user's active memberships, in all organizations. */
function useOwnMemberships(isAsked: boolean) {
  const user = useUser();
  return useQuery({
    queryKey: ['memberships', 'own', user.id],
    queryFn: async ({ signal }) => {
      const params = { query: { user: user.username, page_size: 'all' } };
      return unwrap(await api.GET('/api/memberships', { params, headers: ANYWHERE, signal })).results;
    },
    enabled: isAsked,
    staleTime: 60_000,
  });
}

/** @param ids the organizations of what is shown @returns undefined while it is not known where the user stands there */
function useStandings(ids: readonly (number | null)[]): StandingIn | undefined {
  const user = useUser();
  const isAsked = !isAdministrator(user) && ids.some((id) => id !== null);
  const organizations = useOrganizations();
  const memberships = useOwnMemberships(isAsked);
  if (isAsked && (organizations.data === undefined || memberships.data === undefined)) return undefined;
  return (id) => {
    if (id === null) return { user, organization: null, role: null };
    const organization = organizations.data?.find((each) => each.id === id) ?? { id, slug: '', owner: null };
    const membership = memberships.data?.find((each) => each.organization === id && each.is_active);
    return { user, organization, role: membership?.role ?? null };
  };
}

/** @returns what the user may do with each of these jobs; undefined while it is not known */
export function useJobRights(jobs: readonly Job[]): ((job: Job) => JobRights) | undefined {
  const isAsked = !isAdministrator(useUser());
  const tasks = useKnown('tasks', isAsked ? jobs.map((job) => job.task_id) : []);
  const projects = useKnown('projects', isAsked ? jobs.map((job) => job.project_id) : []);
  const standingIn = useStandings(jobs.map((job) => job.organization));
  if (!tasks.settled || !projects.settled || standingIn === undefined) return undefined;
  return (job) => {
    const task = tasks.rows.get(job.task_id) ?? null;
    const project = job.project_id === null ? null : (projects.rows.get(job.project_id) ?? null);
    return new JobRights({ ...standingIn(job.organization), job, task, project });
  };
}

/** @returns what the user may do with the task; undefined while it is not known */
export function useTaskRights(task: Task): TaskRights | undefined {
  const { project_id: id } = task;
  const project = useQuery({
    queryKey: ['project', id],
    queryFn: ({ signal }) => readProject(id ?? 0, signal),
    enabled: id !== null,
  });
  const standingIn = useStandings([task.organization]);
  if (standingIn === undefined || (id !== null && project.isPending)) return undefined;
  return new TaskRights(standingIn(task.organization), task, project.data?.value ?? null);
}

/** @returns what the user may do with the project; undefined while it is not known */
export function useProjectRights(project: Project): ProjectRights | undefined {
  const standingIn = useStandings([project.organization]);
  return standingIn && new ProjectRights(standingIn(project.organization), project);
}

/** @returns where the user stands in the organization that the app works in; undefined while it is not known */
function useStandingHere(): Standing | undefined {
  const slug = useOrganizationSlug();
  const organization = useOrganizations().data?.find((each) => each.slug === slug);
  const standingIn = useStandings([organization?.id ?? null]);
  return slug !== '' && organization === undefined ? undefined : standingIn?.(organization?.id ?? null);
}

/** Whether projects and tasks may be made where the app works, undefined while it is not known. Workers only get theirs. */
export function useMayMake(): boolean | undefined {
  const standing = useStandingHere();
  return standing && new ProjectRights(standing, {}).create;
}

/**
 * Whether lists of jobs show those of every organization: to workers in their personal space, where they have but what
 * they were given.
 */
export function useSeesJobsAnywhere(): boolean {
  const user = useUser();
  return useOrganizationSlug() === '' && isWorkerOnly(user);
}

/** Whether there is an organization where the app works, of which a webhook may be told as a whole. */
export function useMayCreateOrganizationWebhook(): boolean {
  const standing = useStandingHere();
  return standing !== undefined && mayCreateOrganizationWebhook(standing);
}

/** @returns what the user may do with the cloud storage; undefined while it is not known */
export function useStorageRights(storage: CloudStorage): CloudStorageRights | undefined {
  const standingIn = useStandings([storage.organization]);
  return standingIn && new CloudStorageRights(standingIn(storage.organization), storage);
}

/** Whether the user may connect a bucket where the app works. */
export function useMayCreateStorage(): boolean {
  const standing = useStandingHere();
  return standing !== undefined && new CloudStorageRights(standing, {}).create;
}
