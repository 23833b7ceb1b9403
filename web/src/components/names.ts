import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { ANYWHERE, api, type Project, type Task } from '../app/api';
import { useOrganizationSlug } from '../app/organization';

type Known = Pick<Task | Project, 'name' | 'owner' | 'assignee'>;

const NOTHING: ReadonlyMap<number, Known> = new Map();

/**
 * Reads those that the user can see. To request each of them would be refused for the others, and refusals are recorded in
 * the audit log.
 */
export async function readKnown(
  of: 'projects' | 'tasks',
  ids: readonly number[],
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, Known>> {
  const filter = JSON.stringify({ in: [{ var: 'id' }, ids] });
  const query = { page_size: String(ids.length), filter };
  const options = { params: { query }, headers, signal: signal ?? null };
  const { results } =
    of === 'tasks' ? unwrap(await api.GET('/api/tasks', options)) : unwrap(await api.GET('/api/projects', options));
  return new Map(results.map((each: Known & { readonly id: number }) => [each.id, each]));
}

/**
 * @param ids of projects or tasks, at most one page of a list
 * @param isAnywhere whether they may belong to any organization. In the personal space they always may, as the listed jobs may.
 * @returns the visible ones that are loaded so far. `settled` is true once all are loaded
 */
export function useKnown(
  of: 'projects' | 'tasks',
  ids: readonly (number | null)[],
  { isAnywhere = false } = {},
): { readonly rows: ReadonlyMap<number, Known>; readonly settled: boolean } {
  const isEverywhere = useOrganizationSlug() === '' || isAnywhere;
  const wanted = [...new Set(ids)].filter((id) => id !== null).toSorted((a, b) => a - b);
  const { data, isPlaceholderData } = useQuery({
    queryKey: [of, 'known', wanted, isEverywhere],
    queryFn: ({ signal }) => readKnown(of, wanted, isEverywhere ? ANYWHERE : {}, signal),
    enabled: wanted.length > 0,
    placeholderData: keepPreviousData,
  });
  return { rows: data ?? NOTHING, settled: wanted.length === 0 || (data !== undefined && !isPlaceholderData) };
}

/** @returns the names of the visible ones, by ID */
export function useNames(
  of: 'projects' | 'tasks',
  ids: readonly (number | null)[],
  options: { readonly isAnywhere?: boolean } = {},
): ReadonlyMap<number, string> {
  const { rows } = useKnown(of, ids, options);
  return new Map([...rows].map(([id, { name }]) => [id, name]));
}
