import { useSyncExternalStore } from 'react';
import { currentOrganization } from './current-organization';

/** Slug of the selected organization. */
export const useOrganizationSlug = (): string =>
  useSyncExternalStore(currentOrganization.listen, currentOrganization.get);

/** The same, or null if nothing has been selected in this browser. */
export const useOrganizationChoice = (): string | null =>
  useSyncExternalStore(currentOrganization.listen, currentOrganization.choice);
