import type { Urls } from '../../core/http/urls.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import type { Role } from '../../shared/policy/actor.js';
import { basicUserColumns, readBasicUser, toBasicUser } from '../users/index.js';
import type { InvitationDto } from './invitation.dto.js';

export interface InvitationRow {
  readonly key: string;
  readonly created_date: string;
  readonly role: Role;
  readonly organization_id: number;
  readonly organization_slug: string;
  readonly is_expired: boolean | null;
  readonly membership_id: number;
  readonly is_accepted: boolean;
  readonly owner_id: number | null;
  readonly invitee_id: number;
  readonly invitee_username: string;
  readonly invitee_first_name: string;
  readonly invitee_last_name: string;
  readonly invitee_email: string;
}

/** An invitation with its membership, organization and persons. */
export const INVITATION_FROM = sql`invitation join membership on membership.id = invitation.membership_id
  join organization on organization.id = membership.organization_id
  join app_user invitee on invitee.id = membership.user_id
  left join app_user owner on owner.id = invitation.owner_id`;

/** @param now decides which invitations are past their seven days */
export const invitationColumns = (now: Date): Sql => sql`invitation.key, invitation.created_date, membership.role,
  organization.id as organization_id, organization.slug as organization_slug,
  invitation.sent_date + interval '7 days' <= ${now} as is_expired,
  membership.id as membership_id, membership.is_active as is_accepted, invitee.email as invitee_email,
  ${basicUserColumns('owner', 'owner')}, ${basicUserColumns('invitee', 'invitee')}`;

export const toInvitation = (row: InvitationRow, urls: Urls): InvitationDto => ({
  key: row.key,
  created_date: row.created_date,
  owner: readBasicUser(row, 'owner', urls),
  role: row.role,
  user: toBasicUser(
    {
      id: row.invitee_id,
      username: row.invitee_username,
      firstName: row.invitee_first_name,
      lastName: row.invitee_last_name,
    },
    urls,
  ),
  organization: row.organization_id,
  expired: row.is_expired,
  organization_info: { id: row.organization_id, slug: row.organization_slug },
});
