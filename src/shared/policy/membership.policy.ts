import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { type Actor, contextOrganization, hasPrivilege, isAdmin, type OrganizationFacts, type Role } from './actor.js';
import type { Policy } from './policy.js';
import { isMember, isOneOf, isOrganizationOwner, isOrganizationStaff } from './rules.js';

export type MembershipScope = 'view' | 'change:role' | 'delete';

export interface MembershipFacts {
  readonly userId: number;
  readonly role: Role;
  readonly isActive: boolean;
  readonly organization: OrganizationFacts;
}

const rules: Readonly<Record<MembershipScope, (actor: Actor, membership: MembershipFacts) => boolean>> = {
  view: (actor, { organization, isActive }) =>
    isOrganizationStaff(actor, organization) || (isMember(organization) && isActive),
  'change:role': manages,
  delete: (actor, membership) => manages(actor, membership) || leaves(actor, membership),
};

export const membershipPolicy: Policy<MembershipScope, MembershipFacts> & { mayList(actor: Actor): boolean } = {
  allow: (scope, actor, membership) => isAdmin(actor) || rules[scope](actor, membership),
  mayList: (actor) => isAdmin(actor) || actor.context.kind !== 'organization' || isMember(actor.context),
  visible: visibleMemberships,
};

/** Nobody manages themselves or an owner, and maintainers do not manage each other. */
function manages(actor: Actor, { userId, role, organization }: MembershipFacts): boolean {
  if (!hasPrivilege(actor, 'user') || isOneOf(actor, userId)) return false;
  if (isOrganizationOwner(actor, organization)) return role !== 'owner';
  return organization.role === 'maintainer' && (role === 'worker' || role === 'supervisor');
}

const leaves = (actor: Actor, { userId, role, isActive }: MembershipFacts): boolean =>
  hasPrivilege(actor, 'worker') && isOneOf(actor, userId) && isActive && role !== 'owner';

/** Uses the table `membership`, which the list restricts to the named organization. */
function visibleMemberships(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  if (isAdmin(actor) || isOrganizationStaff(actor, organization)) return raw('true');
  return organization === null
    ? sql`(membership.user_id = ${actor.id} and membership.is_active)`
    : raw('membership.is_active');
}
