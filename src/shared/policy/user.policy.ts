import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { column, columns, table } from '../../engines/sql/tables.js';
import { type Actor, contextOrganization, isAdmin } from './actor.js';
import type { Policy } from './policy.js';
import { isMember } from './rules.js';

export type UserScope = 'list' | 'view' | 'create' | 'update' | 'delete' | 'manage';

export interface UserFacts {
  /** Null for lists. */
  readonly id: number | null;
  /** Whether the user is a member of the organization that the request names, or invited to it. */
  readonly isMember: boolean;
}

const isSelf = (actor: Actor, user: UserFacts): boolean => user.id === actor.id;

const rules: Readonly<Record<UserScope, (actor: Actor, user: UserFacts) => boolean>> = {
  list: (actor) => actor.context.kind !== 'organization' || isMember(actor.context),
  view: (actor, user) => isSelf(actor, user) || (user.isMember && isMember(contextOrganization(actor))),
  create: () => false, // only administrators
  update: isSelf,
  delete: isSelf,
  manage: () => false,
};

/** The organization that the request names counts, because users belong to many. */
export const userPolicy: Policy<UserScope, UserFacts> = {
  allow: (scope, actor, user) => isAdmin(actor) || rules[scope](actor, user),
  visible: visibleUsers,
};

const USER_ID = column('app_user.id');
const MEMBERSHIP = columns('membership', ['user_id', 'organization_id']);

/**
 * Uses the table `app_user`: members of the named organization (including inactive ones), otherwise the actor; admins
 * see all.
 */
function visibleUsers(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  if (organization === null) return isAdmin(actor) ? raw('true') : sql`${USER_ID} = ${actor.id}`;
  return sql`exists (select 1 from ${table('membership')}
    where ${MEMBERSHIP.user_id} = ${USER_ID} and ${MEMBERSHIP.organization_id} = ${organization.id})`;
}
