import { type Actor, hasPrivilege, hasRole, type OrganizationFacts } from './actor.js';

/** Members of organizations that run it: maintainers, and the owner who is still its owner. */
export function isOrganizationStaff(actor: Actor, organization: OrganizationFacts | null): boolean {
  return organization?.role === 'maintainer' || isOrganizationOwner(actor, organization);
}

export const isOrganizationOwner = (actor: Actor, organization: OrganizationFacts | null): boolean =>
  organization?.role === 'owner' && organization.ownerId === actor.id;

export const isMember = (organization: OrganizationFacts | null): boolean => hasRole(organization, 'worker');

/** `G≥user & R≥maintainer`, the alternative that most rules in an organization share. */
export const maintains = (actor: Actor, organization: OrganizationFacts): boolean =>
  hasPrivilege(actor, 'user') && hasRole(organization, 'maintainer');

/** A person with a direct relation to an object, and still a member where the object belongs to an organization. */
export function withinReach(organization: OrganizationFacts | null, related: boolean): boolean {
  return related && (organization === null || isMember(organization));
}

/** Is the actor one of these? */
export const isOneOf = (actor: Actor, ...ids: readonly (number | null | undefined)[]): boolean =>
  ids.includes(actor.id);
