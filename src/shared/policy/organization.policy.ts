import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { columns, table } from '../../engines/sql/tables.js';
import { type Actor, hasPrivilege, isAdmin, type Role } from './actor.js';
import type { Policy } from './policy.js';

export type OrganizationScope = 'list' | 'create' | 'view' | 'update' | 'transfer' | 'delete';

export interface OrganizationPolicyFacts {
  readonly ownerId: number | null;
  /** The actor's role if their membership is active. */
  readonly role: Role | null;
  /** Whether the actor has a membership, active or not. */
  readonly isKnown: boolean;
}

const isOwner = (actor: Actor, organization: OrganizationPolicyFacts): boolean => organization.ownerId === actor.id;

function disposes(actor: Actor, organization: OrganizationPolicyFacts): boolean {
  return hasPrivilege(actor, 'worker') && isOwner(actor, organization);
}

const rules: Readonly<Record<OrganizationScope, (actor: Actor, organization: OrganizationPolicyFacts) => boolean>> = {
  list: () => true,
  create: (actor) => hasPrivilege(actor, 'user'),
  view: (actor, organization) => isOwner(actor, organization) || organization.isKnown,
  update: (actor, organization) =>
    hasPrivilege(actor, 'worker') && (isOwner(actor, organization) || organization.role === 'maintainer'),
  transfer: disposes,
  delete: disposes,
};

/** Ignores the organization that the request names. */
export const organizationPolicy: Policy<OrganizationScope, OrganizationPolicyFacts> = {
  allow: (scope, actor, organization) => isAdmin(actor) || rules[scope](actor, organization),
  visible: visibleOrganizations,
};

const ORGANIZATION = columns('organization', ['id', 'owner_id']);
const MEMBERSHIP = columns('visible_membership', ['organization_id', 'user_id', 'is_active']);

/** Uses the table `organization`: owned ones and those with an active membership. */
function visibleOrganizations(actor: Actor): Sql {
  if (isAdmin(actor)) return raw('true');
  return sql`(${ORGANIZATION.owner_id} = ${actor.id} or exists (select 1 from ${table('membership', 'visible_membership')}
    where ${MEMBERSHIP.organization_id} = ${ORGANIZATION.id} and ${MEMBERSHIP.user_id} = ${actor.id}
      and ${MEMBERSHIP.is_active}))`;
}
