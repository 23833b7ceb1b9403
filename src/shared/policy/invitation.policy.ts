import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { type Actor, contextOrganization, hasPrivilege, isAdmin, type OrganizationFacts } from './actor.js';
import type { Policy } from './policy.js';
import { isMember, isOneOf, isOrganizationOwner, isOrganizationStaff } from './rules.js';

export type InvitationScope = 'create' | 'view' | 'resend' | 'delete' | 'accept' | 'decline';

export interface InvitationFacts {
  readonly ownerId: number | null;
  /** Null for creations. */
  readonly inviteeId: number | null;
  /** The role as the client sent it, so any text. */
  readonly role: string;
  /** For creations: the organization that the request names. */
  readonly organization: OrganizationFacts | null;
}

type Rule = (actor: Actor, invitation: InvitationFacts) => boolean;

const rules: Readonly<Record<InvitationScope, Rule>> = {
  create: mayInvite,
  view: (actor, invitation) => isOneOf(actor, invitation.ownerId, invitation.inviteeId) || byStaff(actor, invitation),
  resend: mayManage,
  delete: mayManage,
  accept: isInvitee,
  decline: isInvitee,
};

export const invitationPolicy: Policy<InvitationScope, InvitationFacts> & { mayList(actor: Actor): boolean } = {
  allow: (scope, actor, invitation) => isAdmin(actor) || rules[scope](actor, invitation),
  mayList: (actor) => isAdmin(actor) || actor.context.kind !== 'organization' || isMember(actor.context),
  visible: visibleInvitations,
};

function mayInvite(actor: Actor, { role, organization }: InvitationFacts): boolean {
  if (!hasPrivilege(actor, 'user')) return false;
  if (isOrganizationOwner(actor, organization)) return role !== 'owner';
  return organization?.role === 'maintainer' && (role === 'worker' || role === 'supervisor');
}

function mayManage(actor: Actor, invitation: InvitationFacts): boolean {
  return (hasPrivilege(actor, 'worker') && isOneOf(actor, invitation.ownerId)) || byStaff(actor, invitation);
}

function byStaff(actor: Actor, { organization }: InvitationFacts): boolean {
  return hasPrivilege(actor, 'user') && isOrganizationStaff(actor, organization);
}

function isInvitee(actor: Actor, { inviteeId }: InvitationFacts): boolean {
  return inviteeId === actor.id;
}

/**
 * Uses `invitation`, its `membership` and the `invitee`; the list restricts them to the named organization. The invitee
 * sees an open invitation once the e-mail address is verified: it contains the key, which proves that its e-mail was
 * received.
 */
function visibleInvitations(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  const staff = hasPrivilege(actor, 'user') && isOrganizationStaff(actor, organization);
  if (isAdmin(actor) || staff) return raw('true');
  return sql`(invitation.owner_id = ${actor.id}
    or membership.user_id = ${actor.id} and (membership.is_active or invitee.email_verified))`;
}
