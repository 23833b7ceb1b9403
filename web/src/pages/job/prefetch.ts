import { ORGANIZATIONS_QUERY } from '../../app/organization-menu';
import { queryClient } from '../../app/query-client';
import { SELF_QUERY } from '../../app/session';
import { readAhead } from './data/annotations-ahead';
import { jobQuery } from './data/job-queries';
import { issuesQuery, surroundingsQuery } from './data/queries';

/** The page is rendered without what takes longer. */
const PATIENCE_MS = 100;

/**
 * Loads the annotations of a job and what is around them before its page is rendered: the page is rendered once with
 * everything, instead of again with each response.
 */
export async function prefetch(pathname: string): Promise<void> {
  const id = Number(/\d+$/.exec(pathname)?.[0]);
  const user = await queryClient.fetchQuery(SELF_QUERY);
  if (user === null) return;
  const data = Promise.all([
    readAhead(user.id, id),
    queryClient.prefetchQuery(issuesQuery(id)),
    queryClient.prefetchQuery(ORGANIZATIONS_QUERY),
    queryClient
      .fetchQuery(jobQuery(id))
      .then((job) => queryClient.prefetchQuery(surroundingsQuery(job, user)))
      .catch(() => undefined),
  ]);
  await Promise.race([data, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}
