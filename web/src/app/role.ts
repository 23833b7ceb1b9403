import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { api } from './api';
import { useOrganizationSlug } from './organization';
import { isAdministrator, useUser } from './session';

/** Whether projects and tasks may be made where the app works: workers of an organization only get theirs. */
export function useMayMake(): boolean {
  const user = useUser();
  const slug = useOrganizationSlug();
  const isAsked = slug !== '' && !isAdministrator(user);
  const { data } = useQuery({
    queryKey: ['memberships', 'own', slug],
    queryFn: async ({ signal }) => {
      const query = { user: user.username } as never;
      return unwrap(await api.GET('/api/memberships', { params: { query }, signal })).results;
    },
    enabled: isAsked,
    staleTime: 60_000,
  });
  return !isAsked || data?.find(({ is_active: isActive }) => isActive)?.role !== 'worker';
}
