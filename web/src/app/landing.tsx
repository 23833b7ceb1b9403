import { useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'react-router';
import { PageLoader } from '../components/page-loader';
import { ANYWHERE, api, type Organization, type User } from './api';
import { currentOrganization } from './current-organization';
import { useOrganizationChoice } from './organization';
import { ORGANIZATIONS, useOrganizations } from './organization-menu';
import { useUser } from './session';

/** Pages of one object select the organization of that object (`InItsOrganization`). */
const HAS_ITS_OWN = /^\/(projects|tasks|jobs|cloudstorages|webhooks)\/\d+/;

/**
 * Selects the organization of the user's latest work in a new browser, and after the user has left the selected
 * organization.
 */
export function Landing({ children }: { readonly children: ReactNode }): ReactNode {
  const client = useQueryClient();
  const user = useUser();
  const { pathname } = useLocation();
  const choice = useOrganizationChoice();
  const { data: organizations, error } = useOrganizations();
  const isGone = useIsGone(choice, organizations);
  useEffect(() => {
    if (!isGone) return;
    client.removeQueries({ predicate: (query) => !query.isActive() });
    currentOrganization.forget();
  }, [client, isGone]);
  const isNeeded = choice === null && !HAS_ITS_OWN.test(pathname);
  const work = useQuery({
    queryKey: ['landing', user.id],
    queryFn: ({ signal }) => findWork(user, organizations ?? [], signal),
    enabled: isNeeded && organizations !== undefined,
    gcTime: 0,
  });
  const found = isNeeded ? work.data : undefined;
  useEffect(() => {
    if (found !== undefined) currentOrganization.set(found);
  }, [found]);
  const isWaiting = isNeeded && error === null && work.error === null;
  return isWaiting ? <PageLoader /> : children;
}

interface Owned {
  readonly organization: number | null;
}

/** Whether the user has left the selected organization. One that is missing in the list may be new, so the server is asked. */
function useIsGone(choice: string | null, organizations: readonly Organization[] | undefined): boolean {
  const isMissing = choice !== null && choice !== '' && organizations?.every(({ slug }) => slug !== choice) === true;
  const { data: isThere } = useQuery({
    queryKey: [...ORGANIZATIONS, 'with', choice],
    queryFn: async ({ signal }) => {
      const params = { query: { slug: choice ?? '' } };
      return unwrap(await api.GET('/api/organizations', { params, headers: ANYWHERE, signal })).count > 0;
    },
    enabled: isMissing,
    gcTime: 0,
  });
  return isMissing && isThere === false;
}

/**
 * @returns slug of the organization of the job that the user was last assigned or worked on, else of their task or
 * project that was updated last, else of their only organization, else an empty string for the personal space
 */
async function findWork(user: User, organizations: readonly Organization[], signal: AbortSignal): Promise<string> {
  if (organizations.length === 0) return '';
  const params = (filter: object): { query: object } => ({
    query: { filter: JSON.stringify(filter), sort: '-updated_date', page_size: '1' },
  });
  const isMine = (name: string): object => ({ '==': [{ var: name }, user.username] });
  const own = { ...params({ or: [isMine('assignee'), isMine('owner')] }) };
  const options = { headers: ANYWHERE, signal };
  const [jobs, tasks, projects] = await Promise.all([
    api.GET('/api/jobs', { params: params(isMine('assignee')), ...options }),
    api.GET('/api/tasks', { params: own, ...options }),
    api.GET('/api/projects', { params: own, ...options }),
  ]);
  const [latest] = [unwrap(jobs), unwrap(tasks), unwrap(projects)].flatMap((page): readonly Owned[] => page.results);
  if (latest === undefined) return organizations.length === 1 ? (organizations[0]?.slug ?? '') : '';
  return organizations.find(({ id }) => id === latest.organization)?.slug ?? '';
}
