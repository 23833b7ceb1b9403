import { type Actor, hasPrivilege, hasRole, type OrganizationFacts } from './actor.js';

/** The members who run an organization: maintainers, and the current owner. */
export function isOrganizationStaff(actor: Actor, organization: OrganizationFacts | null): boolean {
  return organization?.role === 'maintainer' || isOrganizationOwner(actor, organization);
}

export const isOrganizationOwner = (actor: Actor, organization: OrganizationFacts | null): boolean =>
  organization?.role === 'owner' && organization.ownerId === actor.id;

export const isMember = (organization: OrganizationFacts | null): boolean => hasRole(organization, 'worker');

/** `G≥user & R≥maintainer`, which most rules in an organization share as an alternative. */
export const maintains = (actor: Actor, organization: OrganizationFacts): boolean =>
  hasPrivilege(actor, 'user') && hasRole(organization, 'maintainer');

/** Whether a user with a direct relation to an object is still a member of its organization, if it has one. */
export function withinReach(organization: OrganizationFacts | null, related: boolean): boolean {
  return related && (organization === null || isMember(organization));
}

/** Whether the actor is one of these users. */
export const isOneOf = (actor: Actor, ...ids: readonly (number | null | undefined)[]): boolean =>
  ids.includes(actor.id);
