import { CairnError, unwrap } from 'cairn-client';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Navigate, useLocation } from 'react-router';
import { ErrorPanel } from '../components/error-panel';
import { PageLoader } from '../components/page-loader';
import { api, noteLogin, type User } from './api';
import { connection } from './connection';
import { forgetDrafts } from './drafts';
import { currentOrganization } from './current-organization';
import { mayHaveSession } from './session-cookie';

export const SELF = ['self'] as const;

/** A session that has ended while the page was open leaves the person known: the log-in opens over the page, which stays. */
async function readSelf(client: QueryClient): Promise<User | null> {
  if (!mayHaveSession() && client.getQueryData(SELF) === undefined) return null;
  const answer = await api.GET('/api/users/self', { headers: { 'X-Organization': '' } });
  if (answer.response.status !== 401) return unwrap(answer);
  return connection.get().isSessionOver ? (client.getQueryData<User | null>(SELF) ?? null) : null;
}

const SELF_QUERY = queryOptions({ queryKey: SELF, queryFn: ({ client }) => readSelf(client), staleTime: 60_000 });

/** Who is logged in; null when nobody is. */
export const useSelf = () => useQuery(SELF_QUERY);

/** Asks who is logged in before any page is there that wants to know. */
export const askSelfAhead = (client: QueryClient): Promise<void> => client.prefetchQuery(SELF_QUERY);

/** Who is logged in, on pages that only such people see. */
export function useUser(): User {
  const { data } = useSelf();
  if (data === undefined || data === null) throw new Error('Nobody is logged in.');
  return data;
}

/** Administrators may do everything. */
export const isAdministrator = (user: User): boolean =>
  user.is_superuser === true || (user.groups ?? []).includes('admin');

/** Shows what is inside to those who are logged in, and the log-in to everybody else. */
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

/** Asks anew who is logged in, before the next page is shown. */
export const forgetSelf = (client: QueryClient): void => client.removeQueries({ queryKey: SELF });

/** Ends the session here and on the server, and forgets everything that was read with it. */
export function useLogout(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    const { response, error } = await api.POST('/api/auth/logout');
    if (!response.ok && response.status !== 401) throw new CairnError(response, error);
    noteLogin(false);
    currentOrganization.forget();
    forgetDrafts();
    client.clear();
    client.setQueryData(SELF, null);
  };
}
