import { useSyncExternalStore } from 'react';
import { currentOrganization } from './current-organization';

/** Slug of the organization that the app works in. */
export const useOrganizationSlug = (): string =>
  useSyncExternalStore(currentOrganization.listen, currentOrganization.get);

/** The same, or null while nothing was selected in this browser. */
export const useOrganizationChoice = (): string | null =>
  useSyncExternalStore(currentOrganization.listen, currentOrganization.choice);
