import { useQuery } from '@tanstack/react-query';
import { ANYWHERE, type Job, readAll } from '../app/api';

/**
 * Counts unresolved issues. The jobs of the API count resolved ones, too.
 * @param jobs one page of a list
 * @returns the counts by job, without jobs that have none; undefined while loading
 */
export function useOpenIssues(jobs: readonly Job[] = []): ReadonlyMap<number, number> | undefined {
  const counts = jobs.flatMap(({ id, issues: { count } }) => (count > 0 ? [[id, count] as const] : []));
  const ids = counts.map(([id]) => id);
  const { data } = useQuery({
    queryKey: ['issues', 'open', counts],
    queryFn: async () => {
      const filter = JSON.stringify({
        and: [{ '==': [{ var: 'resolved' }, false] }, { in: [{ var: 'job_id' }, ids] }],
      });
      const found = new Map<number, number>();
      const issues = await readAll('/api/issues', { query: { filter, page_size: '500' }, headers: ANYWHERE });
      for (const { job } of issues) found.set(job, (found.get(job) ?? 0) + 1);
      return found;
    },
    enabled: ids.length > 0,
  });
  return ids.length === 0 ? new Map() : data;
}
