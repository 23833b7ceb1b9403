import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { api } from '../app/api';

const NOTHING: ReadonlyMap<number, string> = new Map();

/**
 * @param ids of projects or tasks, no more than a page of a list has
 * @returns their names, as far as they are known and may be seen
 */
export function useNames(of: 'projects' | 'tasks', ids: readonly (number | null)[]): ReadonlyMap<number, string> {
  const wanted = [...new Set(ids)].filter((id) => id !== null).toSorted((a, b) => a - b);
  const { data } = useQuery({
    queryKey: [of, 'names', wanted],
    queryFn: async ({ signal }) => {
      const filter = JSON.stringify({ in: [{ var: 'id' }, wanted] });
      const options = { params: { query: { page_size: String(wanted.length), filter } }, signal };
      const { results } =
        of === 'tasks' ? unwrap(await api.GET('/api/tasks', options)) : unwrap(await api.GET('/api/projects', options));
      return new Map(results.map(({ id, name }: { readonly id: number; readonly name: string }) => [id, name]));
    },
    enabled: wanted.length > 0,
    placeholderData: keepPreviousData,
  });
  return data ?? NOTHING;
}
