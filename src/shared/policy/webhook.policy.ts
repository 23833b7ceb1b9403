import { or, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { type Actor, contextOrganization, hasPrivilege, hasRole, isAdmin, type OrganizationFacts } from './actor.js';
import type { Policy } from './policy.js';
import { isMember, isOneOf, withinReach } from './rules.js';

export type WebhookScope =
  'list' | 'create' | 'create@project' | 'create@organization' | 'view' | 'update' | 'delete' | 'ping' | 'redelivery';

export interface WebhookFacts {
  /** Null for creations. */
  readonly ownerId: number | null;
  /** Whether it belongs to the server. Such webhooks are only for administrators, whoever owns them. */
  readonly isServer?: boolean;
  /** Owner of the webhook's project, if it has one. */
  readonly projectOwnerId: number | null;
  /** The webhook's organization; for lists and creations, the one that the request names. */
  readonly organization: OrganizationFacts | null;
}

type Rule = (actor: Actor, webhook: WebhookFacts) => boolean;

/** Here, unlike elsewhere, a maintainer needs only the group `worker`. */
const isOrganizationMaintainer: Rule = (actor, { organization }) =>
  hasPrivilege(actor, 'worker') && hasRole(organization, 'maintainer');

const isRelated: Rule = (actor, { organization, ownerId, projectOwnerId }) =>
  withinReach(organization, isOneOf(actor, ownerId, projectOwnerId));

const mayManage: Rule = (actor, webhook) =>
  (hasPrivilege(actor, 'worker') && isRelated(actor, webhook)) || isOrganizationMaintainer(actor, webhook);

const rules: Readonly<Record<WebhookScope, Rule>> = {
  list: (_, { organization }) => organization === null || isMember(organization),
  // A creation without a project or an organization.
  create: () => false,
  'create@project': (actor, webhook) =>
    (hasPrivilege(actor, webhook.organization === null ? 'user' : 'worker') && isRelated(actor, webhook)) ||
    isOrganizationMaintainer(actor, webhook),
  'create@organization': isOrganizationMaintainer,
  view: (actor, webhook) => isRelated(actor, webhook) || isOrganizationMaintainer(actor, webhook),
  update: mayManage,
  delete: mayManage,
  ping: mayManage,
  redelivery: mayManage,
};

export const webhookPolicy: Policy<WebhookScope, WebhookFacts> = {
  allow: (scope, actor, webhook) => isAdmin(actor) || (webhook.isServer !== true && rules[scope](actor, webhook)),
  visible: visibleWebhooks,
};

/** Uses the tables `webhook` and `project` (its project, left joined). */
function visibleWebhooks(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  const maintained = organization !== null && hasPrivilege(actor, 'worker') && hasRole(organization, 'maintainer');
  if (isAdmin(actor) || maintained) return raw('true'); // the list of an organization has none of the server
  const related = or([sql`webhook.owner_id = ${actor.id}`, sql`project.owner_id = ${actor.id}`]);
  return sql`(webhook.type <> 'server' and ${related})`;
}

/**
 * The organizations and projects for which the actor can create webhooks, regardless of the organization of the request:
 * rows with `organization` and `project`, one of which is null. Applies `create@organization` and `create@project`.
 */
export function permittedWebhookScopes(actor: Actor): Sql {
  const [user, worker] = [hasPrivilege(actor, 'user'), hasPrivilege(actor, 'worker')];
  return sql`
    select organization_id as organization, null::int as project from membership
    where user_id = ${actor.id} and is_active and role in ('owner', 'maintainer') and ${worker}
    union all
    select null, project.id from project where owner_id = ${actor.id} and case when organization_id is null then ${user}
      else ${worker} and exists (select 1 from membership where membership.organization_id = project.organization_id
        and membership.user_id = ${actor.id} and membership.is_active) end`;
}
