import { queryOptions } from '@tanstack/react-query';

const STALE_MS = 60_000;

/** The functions that the user can call. The code of requests is loaded with the first of them. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: async ({ signal }) => (await import('./model-requests')).readModels(signal),
  staleTime: STALE_MS,
});
