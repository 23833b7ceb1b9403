import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel';
import { Page } from './page';
import { PageLoader } from './page-loader';

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  /** Title of the error page, if the data is the whole page. */
  readonly pageTitle?: string;
  /** Shown below the error. */
  readonly belowError?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** Shows the loaded data, a loader or an error. Loaded data stays if a later refresh fails. */
export function Loaded<Data>({ query, pageTitle, belowError, children }: LoadedProps<Data>): ReactNode {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (error === null) return <PageLoader />;
  const panel = (
    <>
      <ErrorPanel error={error} onRetry={() => void refetch()} />
      {belowError}
    </>
  );
  return pageTitle === undefined ? panel : <Page title={pageTitle}>{panel}</Page>;
}
