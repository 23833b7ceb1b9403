import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { Navigate } from 'react-router';
import { ANYWHERE, api, type User } from '../../app/api';
import { useUser } from '../../app/session';
import { UNFINISHED } from '../../components/job-change';
import { PageLoader } from '../../components/page-loader';
import { useMayCreate } from '../../components/rights';

/** Redirects annotators to their work and everybody else to the projects. */
export function Component(): ReactNode {
  const user = useUser();
  const mayCreate = useMayCreate();
  const { data: isAnnotator, error } = useQuery({
    queryKey: ['landing', 'annotator', user.id],
    queryFn: ({ signal }) => hasForeignJobs(user, signal),
    enabled: mayCreate === true,
    gcTime: 0,
  });
  if (mayCreate === false || isAnnotator === true) return <Navigate to="/my-work" replace />;
  return isAnnotator === false || error !== null ? <Navigate to="/projects" replace /> : <PageLoader />;
}

/** Whether the user has jobs to do, but no project or task of their own. */
async function hasForeignJobs({ username }: User, signal: AbortSignal): Promise<boolean> {
  const options = (query: object) => ({ params: { query: { page_size: '1', ...query } }, headers: ANYWHERE, signal });
  const jobs = unwrap(await api.GET('/api/jobs', options({ assignee: username, filter: UNFINISHED })));
  if (jobs.count === 0) return false;
  const [projects, tasks] = await Promise.all([
    api.GET('/api/projects', options({ owner: username })),
    api.GET('/api/tasks', options({ owner: username })),
  ]);
  return unwrap(projects).count === 0 && unwrap(tasks).count === 0;
}
