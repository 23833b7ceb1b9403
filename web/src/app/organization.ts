import { useSyncExternalStore } from 'react';
import { currentOrganization } from './current-organization';

/** Slug of the organization that the app works in. */
export const useOrganizationSlug = (): string =>
  useSyncExternalStore(currentOrganization.listen, currentOrganization.get);
