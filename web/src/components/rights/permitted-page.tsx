import type { ReactNode } from 'react';
import { type Crumb, Crumbs } from '../crumbs';
import { EmptyState } from '../empty-state';
import { Page } from '../page';
import { PageLoader } from '../page-loader';

interface PermittedPageProps {
  /** Undefined while it is unknown. */
  readonly isPermitted: boolean | undefined;
  readonly title: string;
  /** The list that the page leads back to. */
  readonly crumb: Crumb;
  /** Who has the permission. */
  readonly who: string;
  /** The page. */
  readonly children: ReactNode;
}

/** A page with a form. Users whose input the server would refuse are told who has the permission instead. */
export function PermittedPage({ isPermitted, title, crumb, who, children }: PermittedPageProps): ReactNode {
  if (isPermitted === true) return children;
  if (isPermitted === undefined) return <PageLoader />;
  return (
    <Page title={title} narrow above={<Crumbs crumbs={[crumb]} />}>
      <EmptyState icon="key" title="You do not have permission" text={who} />
    </Page>
  );
}
