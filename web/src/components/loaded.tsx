import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel';
import { PageLoader } from './page-loader';

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  readonly children: (data: Data) => ReactNode;
}

/** What was read, or how far the reading is. What is there stays, should a later reading fail. */
export function Loaded<Data>({ query: { data, error, refetch }, children }: LoadedProps<Data>): ReactNode {
  if (data !== undefined) return children(data);
  return error === null ? <PageLoader /> : <ErrorPanel error={error} onRetry={() => void refetch()} />;
}
