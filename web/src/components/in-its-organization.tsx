import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { currentOrganization } from '../app/current-organization';
import { useOrganizationSlug } from '../app/organization';
import { useOrganizations } from '../app/organization-menu';
import { PageLoader } from './page-loader';

interface InItsOrganizationProps {
  /** Of what the page shows; null for the personal space. */
  readonly id: number | null;
  readonly children: ReactNode;
}

/**
 * A page of something that a link led to: the app works in the organization of that thing from now on, for lists show
 * what is in one organization, and nothing of a thing in another would be found. Whoever goes elsewhere later may.
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
      client.removeQueries({ predicate: (query) => !query.isActive() }); // what the page around this has read stays
      currentOrganization.set(its);
    } else if (currentOrganization.choice() === null) currentOrganization.set(its);
    setSettled(true);
  }, [client, its, isElsewhere]);
  const isUnknown = !isSettled && id !== null && slug === '' && data === undefined;
  return isElsewhere || isUnknown ? <PageLoader /> : children;
}
