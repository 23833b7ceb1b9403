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
  mayCreateOrganization,
  mayCreateOrganizationWebhook,
  ProjectRights,
  type Membership,
  TaskRights,
} from './rights';

type MembershipIn = (organizationId: number | null) => Membership;

/** The user's active memberships, in all organizations. */
function useOwnMemberships(isNeeded: boolean) {
  const user = useUser();
  return useQuery({
    queryKey: ['memberships', 'own', user.id],
    queryFn: async ({ signal }) => {
      const params = { query: { user: user.username, page_size: 'all' } };
      return unwrap(await api.GET('/api/memberships', { params, headers: ANYWHERE, signal })).results;
    },
    enabled: isNeeded,
    staleTime: 60_000,
  });
}

/** @param ids organizations of the shown objects @returns the user's membership in each, or undefined while loading */
export function useMembershipsIn(ids: readonly (number | null)[]): MembershipIn | undefined {
  const user = useUser();
  const isNeeded = !isAdministrator(user) && ids.some((id) => id !== null);
  const organizations = useOrganizations();
  const memberships = useOwnMemberships(isNeeded);
  if (isNeeded && (organizations.data === undefined || memberships.data === undefined)) return undefined;
  return (id) => {
    if (id === null) return { user, organization: null, role: null };
    const organization = organizations.data?.find((each) => each.id === id) ?? { id, slug: '', owner: null };
    const membership = memberships.data?.find((each) => each.organization === id && each.is_active);
    return { user, organization, role: membership?.role ?? null };
  };
}

/** @returns the user's permissions for each of these jobs, or undefined while loading */
export function useJobRights(jobs: readonly Job[]): ((job: Job) => JobRights) | undefined {
  const isNeeded = !isAdministrator(useUser());
  const tasks = useKnown('tasks', isNeeded ? jobs.map((job) => job.task_id) : []);
  const projects = useKnown('projects', isNeeded ? jobs.map((job) => job.project_id) : []);
  const membershipIn = useMembershipsIn(jobs.map((job) => job.organization));
  if (!tasks.settled || !projects.settled || membershipIn === undefined) return undefined;
  return (job) => {
    const task = tasks.rows.get(job.task_id) ?? null;
    const project = job.project_id === null ? null : (projects.rows.get(job.project_id) ?? null);
    return new JobRights({ ...membershipIn(job.organization), job, task, project });
  };
}

/** @returns the user's permissions for the task, or undefined while loading */
export function useTaskRights(task: Task): TaskRights | undefined {
  const { project_id: id } = task;
  const projects = useKnown('projects', [id]);
  const membershipIn = useMembershipsIn([task.organization]);
  if (membershipIn === undefined || !projects.settled) return undefined;
  return new TaskRights(membershipIn(task.organization), task, projects.rows.get(id ?? 0) ?? null);
}

/** @returns the user's permissions for the project, or undefined while loading */
export function useProjectRights(project: Project): ProjectRights | undefined {
  const membershipIn = useMembershipsIn([project.organization]);
  return membershipIn && new ProjectRights(membershipIn(project.organization), project);
}

/** @returns the user's membership in the selected organization, or undefined while loading */
function useCurrentMembership(): Membership | undefined {
  const user = useUser();
  const slug = useOrganizationSlug();
  const organization = useOrganizations().data?.find((each) => each.slug === slug);
  const membershipIn = useMembershipsIn([organization?.id ?? null]);
  const isUnknown = slug !== '' && organization === undefined && !isAdministrator(user); // administrators need no role
  return isUnknown ? undefined : membershipIn?.(organization?.id ?? null);
}

/** Whether the user can create projects and tasks without a project in the selected organization, or undefined while loading. */
export function useMayCreate(): boolean | undefined {
  const membership = useCurrentMembership();
  return membership && new ProjectRights(membership, {}).create;
}

/**
 * Whether job lists include all organizations. They do for users of the group worker in their personal space, who have
 * only the jobs that are assigned to them.
 */
export function useSeesJobsAnywhere(): boolean {
  const user = useUser();
  return useOrganizationSlug() === '' && isWorkerOnly(user);
}

/** Whether the user can create webhooks for the selected organization. */
export function useMayCreateOrganizationWebhook(): boolean {
  const membership = useCurrentMembership();
  return membership !== undefined && mayCreateOrganizationWebhook(membership);
}

/** @returns the user's permissions for the cloud storage, or undefined while loading */
export function useStorageRights(storage: CloudStorage): CloudStorageRights | undefined {
  const membershipIn = useMembershipsIn([storage.organization]);
  return membershipIn && new CloudStorageRights(membershipIn(storage.organization), storage);
}

/** Whether the user can create cloud storages in the selected organization. */
export function useMayCreateStorage(): boolean | undefined {
  const membership = useCurrentMembership();
  return membership && new CloudStorageRights(membership, {}).create;
}

/** Whether the user can create organizations. */
export const useMayCreateOrganization = (): boolean => mayCreateOrganization(useUser());

/**
 * @param id of a project, or null: the user has not selected one yet
 * @returns whether the user can create tasks in it, or undefined while loading
 */
export function useMayCreateTask(id: number | null): boolean | undefined {
  const mayCreate = useMayCreate();
  const rights = useRightsIn(id);
  return rights === null ? mayCreate : rights?.createTask;
}

/**
 * @param id of a project, or null: the user has not selected one yet
 * @returns whether the user can create webhooks for it, or undefined while loading
 */
export function useMayCreateWebhook(id: number | null): boolean | undefined {
  const user = useUser();
  const membership = useCurrentMembership();
  const rights = useRightsIn(id);
  const mayOwnProjects =
    membership && (new ProjectRights(membership, {}).create || mayCreateOrganizationWebhook(membership));
  const slug = useOrganizationSlug();
  const owned = useQuery({
    queryKey: ['projects', 'owned', user.id, slug],
    queryFn: async ({ signal }) => {
      const params = { query: { owner: user.username, page_size: '1' } };
      return unwrap(await api.GET('/api/projects', { params, signal })).results[0] ?? null;
    },
    enabled: rights === null && mayOwnProjects === false,
  });
  if (rights !== null) return rights?.createWebhook;
  if (mayOwnProjects !== false || membership === undefined) return mayOwnProjects;
  return owned.data === undefined
    ? undefined
    : owned.data !== null && new ProjectRights(membership, owned.data).createWebhook;
}

/** @returns the user's permissions for a project, undefined while loading, null if there is none or it cannot be viewed */
function useRightsIn(id: number | null): ProjectRights | null | undefined {
  const { data, error } = useQuery({
    queryKey: ['project', id],
    queryFn: ({ signal }) => readProject(id ?? 0, signal),
    enabled: id !== null,
  });
  const project = data?.value;
  const membershipIn = useMembershipsIn([project?.organization ?? null]);
  if (id === null || (project === undefined && error !== null)) return null;
  return project && membershipIn && new ProjectRights(membershipIn(project.organization), project);
}
