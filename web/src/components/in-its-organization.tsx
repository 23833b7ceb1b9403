import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { currentOrganization } from '../app/current-organization';
import { useOrganizationSlug } from '../app/organization';
import { useOrganizations } from '../app/organization-menu';
import { PageLoader } from './page-loader';

interface InItsOrganizationProps {
  /** The organization of the object on the page, or null for the personal space. */
  readonly id: number | null;
  readonly children: ReactNode;
}

/**
 * Selects the organization of the object that a page shows. Lists contain the objects of the selected organization only,
 * so after following a link the related objects would not be found otherwise. The user can switch away afterwards.
 */
export function InItsOrganization({ id, children }: InItsOrganizationProps): ReactNode {
  const client = useQueryClient();
  const slug = useOrganizationSlug();
  const { data } = useOrganizations();
  const [isSettled, setSettled] = useState(false);
  const its = id === null ? '' : data?.find((each) => each.id === id)?.slug;
  const isElsewhere = !isSettled && its !== undefined && its !== slug;
  useEffect(() => {
    if (its === undefined) return;
    if (isElsewhere) {
      client.removeQueries({ predicate: (query) => !query.isActive() }); // keep what the page itself has loaded
      currentOrganization.set(its);
    } else if (currentOrganization.choice() === null) currentOrganization.set(its);
    setSettled(true);
  }, [client, its, isElsewhere]);
  const isUnknown = !isSettled && id !== null && slug === '' && data === undefined;
  return isElsewhere || isUnknown ? <PageLoader /> : children;
}
