import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel';
import { Page } from './page';
import { PageLoader } from './page-loader';

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  /** Title of the page that tells of a failure, where what was read makes the whole page. */
  readonly pageTitle?: string;
  readonly children: (data: Data) => ReactNode;
}

/** What was read, or how far the reading is. What is there stays, should a later reading fail. */
export function Loaded<Data>({ query, pageTitle, children }: LoadedProps<Data>): ReactNode {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (error === null) return <PageLoader />;
  const panel = <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return pageTitle === undefined ? panel : <Page title={pageTitle}>{panel}</Page>;
}
