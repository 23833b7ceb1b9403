import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CairnError, unwrap } from 'cairn-client';
import { useEffect } from 'react';
import { api, type BackgroundRequest } from '../app/api';

const POLL_MS = 1_000;

const isActive = (request: BackgroundRequest | null | undefined): boolean =>
  request?.status === 'queued' || request?.status === 'started';

/**
 * Follows a background request of the user. It is looked up in a list, because there need not be one.
 * @param id `action=…&target=…&target_id=…`, optionally with `subresource=…`
 * @param results key of the queries that are read again once the request is finished
 * @returns whether it is queued or running
 */
export function useIsRunning(id: string, results: readonly unknown[]): boolean {
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: ['requests', id],
    queryFn: async ({ signal }) => {
      const { target = '', target_id: targetId = '', ...query } = Object.fromEntries(new URLSearchParams(id));
      const parameters = { ...query, target, [`${target}_id`]: targetId, page_size: '1' } as never;
      return unwrap(await api.GET('/api/requests', { params: { query: parameters }, signal })).results[0] ?? null;
    },
    refetchInterval: ({ state }) => (isActive(state.data) ? POLL_MS : false),
  });
  const status = data?.status;
  const key = JSON.stringify(results);
  useEffect(() => {
    if (status === 'finished') void client.invalidateQueries({ queryKey: JSON.parse(key) as unknown[] });
  }, [client, status, key]);
  return isActive(data);
}

/** @returns the id of the request that was started, or of the one that is already running for the same object */
export async function startedOrRunning(start: () => Promise<{ readonly rq_id: string }>): Promise<string> {
  try {
    return (await start()).rq_id;
  } catch (error) {
    const running = error instanceof CairnError && error.status === 409 ? (error.body as { rq_id?: string }) : {};
    if (running.rq_id === undefined) throw error;
    return running.rq_id;
  }
}
