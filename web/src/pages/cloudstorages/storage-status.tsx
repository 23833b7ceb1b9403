import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api } from '../../app/api';
import { explain } from '../../app/problems';

const STATUSES: Readonly<Record<string, { readonly text: string; readonly color: string }>> = {
  AVAILABLE: { text: 'Available', color: 'teal' },
  NOT_FOUND: { text: 'Bucket not found', color: 'red' },
  FORBIDDEN: { text: 'Access denied', color: 'red' },
};
const STALE_MS = 60_000;

export const statusKey = (id: number): readonly unknown[] => ['cloudstorage', id, 'status'];

/** Whether the server can access the bucket. */
export function StorageStatus({ id }: { readonly id: number }): ReactNode {
  const { data, error } = useQuery({
    queryKey: statusKey(id),
    queryFn: async ({ signal }) =>
      unwrap(await api.GET('/api/cloudstorages/{id}/status', { params: { path: { id } }, signal })) as string,
    staleTime: STALE_MS,
    retry: false,
  });
  const isUnknown = data === undefined && error === null;
  const { text, color } = isUnknown
    ? { text: 'Checking…', color: 'gray' }
    : (STATUSES[data ?? ''] ?? { text: 'Unreachable', color: 'red' });
  return (
    <Badge
      className="status"
      variant="light"
      color={color}
      radius="sm"
      tt="none"
      fw={600}
      title={error === null ? undefined : explain(error).text}
    >
      {text}
    </Badge>
  );
}
