import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { type Actor, contextOrganization, hasPrivilege, hasRole, isAdmin, type OrganizationFacts } from './actor.js';
import type { Policy } from './policy.js';
import { isMember, isOneOf, isOrganizationStaff, maintains, withinReach } from './rules.js';

/** `serve`: run an agent, which receives the requests of the function. `publish`: make the function public. */
export type FunctionScope = 'list' | 'create' | 'publish' | 'view' | 'call' | 'update' | 'delete' | 'serve';

export interface FunctionFacts {
  /** Null for lists and creations. */
  readonly ownerId: number | null;
  readonly isPublic: boolean;
  /** For lists and creations: the organization that the request names. */
  readonly organization: OrganizationFacts | null;
}

type Rule = (actor: Actor, one: FunctionFacts) => boolean;

const isOwner: Rule = (actor, { organization, ownerId }) => withinReach(organization, isOneOf(actor, ownerId));

const mayView: Rule = (actor, one) =>
  isOwner(actor, one) ||
  isOrganizationStaff(actor, one.organization) ||
  (one.isPublic && (one.organization === null || isMember(one.organization)));

const mayChange: Rule = (actor, one) =>
  isOwner(actor, one) || (one.organization !== null && maintains(actor, one.organization));

const rules: Readonly<Record<FunctionScope, Rule>> = {
  list: (_, { organization }) => organization === null || isMember(organization),
  create: (actor, { organization }) =>
    hasPrivilege(actor, 'user') && (organization === null || hasRole(organization, 'supervisor')),
  // Without an organization, every account of the server could call it.
  publish: (_, { organization }) => organization !== null,
  view: mayView,
  call: (actor, one) => hasPrivilege(actor, 'worker') && mayView(actor, one),
  update: mayChange,
  delete: mayChange,
  serve: (actor, one) => isOwner(actor, one) || hasRole(one.organization, 'maintainer'),
};

export const functionPolicy: Policy<FunctionScope, FunctionFacts> = {
  allow: (scope, actor, one) => isAdmin(actor) || rules[scope](actor, one),
  visible: visibleFunctions,
};

/** Uses the table `native_function`. */
function visibleFunctions(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  if (isAdmin(actor) || isOrganizationStaff(actor, organization)) return raw('true');
  return sql`((native_function.owner_id = ${actor.id} or native_function.visibility = 'public')
    and (native_function.organization_id is null or exists (
      select from membership where membership.organization_id = native_function.organization_id
        and membership.user_id = ${actor.id} and membership.is_active)))`;
}
