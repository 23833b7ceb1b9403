import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { type Actor, contextOrganization, hasPrivilege, hasRole, isAdmin, type OrganizationFacts } from './actor.js';
import type { Policy } from './policy.js';
import { isMember, isOneOf, maintains, withinReach } from './rules.js';

export type CloudStorageScope = 'list' | 'create' | 'view' | 'update' | 'delete';

export interface CloudStorageFacts {
  /** Null for lists and creations. */
  readonly ownerId: number | null;
  /** For lists and creations: the organization that the request names. */
  readonly organization: OrganizationFacts | null;
}

type Rule = (actor: Actor, storage: CloudStorageFacts) => boolean;

/** `G≥user & R≥supervisor`. */
const supervises = (actor: Actor, organization: OrganizationFacts | null): boolean =>
  hasPrivilege(actor, 'user') && hasRole(organization, 'supervisor');

const isOwner: Rule = (actor, { organization, ownerId }) => withinReach(organization, isOneOf(actor, ownerId));

const mayChange: Rule = (actor, storage) =>
  (hasPrivilege(actor, 'worker') && isOwner(actor, storage)) ||
  (storage.organization !== null && maintains(actor, storage.organization));

const rules: Readonly<Record<CloudStorageScope, Rule>> = {
  list: (_, { organization }) => organization === null || isMember(organization),
  create: (actor, { organization }) =>
    organization === null ? hasPrivilege(actor, 'user') : maintains(actor, organization),
  view: (actor, storage) => isOwner(actor, storage) || supervises(actor, storage.organization),
  update: mayChange,
  delete: mayChange,
};

export const cloudStoragePolicy: Policy<CloudStorageScope, CloudStorageFacts> = {
  allow: (scope, actor, storage) => isAdmin(actor) || rules[scope](actor, storage),
  visible: visibleCloudStorages,
};

/** Uses the table `cloud_storage`. */
function visibleCloudStorages(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  if (isAdmin(actor) || (organization !== null && supervises(actor, organization))) return raw('true');
  return sql`cloud_storage.owner_id = ${actor.id}`;
}
