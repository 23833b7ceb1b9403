import { queryOptions } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { api } from '../../../app/api';

/** Only this page changes which frames of a job are deleted, as far as it is concerned. */
const FOREVER = Infinity;

export const jobKey = (id: number): readonly unknown[] => ['job', id];

export const jobQuery = (id: number) =>
  queryOptions({
    queryKey: jobKey(id),
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/jobs/{id}', { params: { path: { id } }, signal })),
  });

export const metaQuery = (id: number) =>
  queryOptions({
    queryKey: [...jobKey(id), 'meta'],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET('/api/jobs/{id}/data/meta', { params: { path: { id } }, signal })),
    staleTime: FOREVER,
  });
