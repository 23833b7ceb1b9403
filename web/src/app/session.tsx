import { CairnError, unwrap } from 'cairn-client';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Navigate, useLocation } from 'react-router';
import { ErrorPanel } from '../components/error-panel';
import { PageLoader } from '../components/page-loader';
import { api, noteLogin, requestSelf, sessionOwner, type User } from './api';
import { connection } from './connection';
import { forgetDrafts } from './drafts';
import { currentOrganization } from './current-organization';
import { csrfToken, mayHaveSession } from './session-cookie';

export const SELF = ['self'] as const;

/**
 * If the session expires while the page is open, or another user logs in, the user stays known and the login dialog opens
 * over the page.
 */
async function readSelf(client: QueryClient): Promise<User | null> {
  if (!mayHaveSession() && client.getQueryData(SELF) === undefined) return null;
  const token = csrfToken();
  const response = await requestSelf();
  const before = client.getQueryData<User | null>(SELF) ?? null;
  if (response.response.status === 401) return connection.get().isSessionOver ? before : null;
  const user = unwrap(response);
  return sessionOwner.note(user, token) ? user : (before ?? user);
}

export const SELF_QUERY = queryOptions({
  queryKey: SELF,
  queryFn: ({ client }) => readSelf(client),
  staleTime: 60_000,
});

/** The logged-in user, or null. */
export const useSelf = () => useQuery(SELF_QUERY);

/** Prefetches the user before the first page is rendered. */
export const prefetchSelf = (client: QueryClient): Promise<void> => client.prefetchQuery(SELF_QUERY);

/** The user, on pages that require a login. */
export function useUser(): User {
  const { data } = useSelf();
  if (data === undefined || data === null) throw new Error('Nobody is logged in.');
  return data;
}

/** Administrators have all permissions. */
export const isAdministrator = (user: User): boolean =>
  user.is_superuser === true || (user.groups ?? []).includes('admin');

/** Shows its children to logged-in users, and redirects others to the login. */
export function RequireSession({ children }: { readonly children: ReactNode }): ReactNode {
  const { data, error, refetch } = useSelf();
  const location = useLocation();
  useEffect(() => noteLogin(data !== undefined && data !== null), [data]);
  if (data === undefined) {
    return error === null ? <PageLoader /> : <ErrorPanel error={error} onRetry={() => void refetch()} />;
  }
  if (data !== null) return children;
  const next = `${location.pathname}${location.search}`;
  return <Navigate to={next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`} replace />;
}

/** Makes the next page load the user, who has just logged in. */
export function forgetSelf(client: QueryClient): void {
  sessionOwner.forget();
  client.removeQueries({ queryKey: SELF });
}

/**
 * Logs out and removes all cached data.
 * @returns false if the browser leaves the app, to end the session at the identity provider, too
 */
export function useLogout(): () => Promise<boolean> {
  const client = useQueryClient();
  return async () => {
    const { response, error, data } = await api.POST('/api/auth/logout');
    if (!response.ok && response.status !== 401) throw new CairnError(response, error);
    noteLogin(false);
    currentOrganization.forget();
    forgetDrafts();
    if (data?.logout_url !== undefined) {
      window.location.assign(data.logout_url); // the page stays as it is until then
      return false;
    }
    client.clear();
    client.setQueryData(SELF, null);
    return true;
  };
}
