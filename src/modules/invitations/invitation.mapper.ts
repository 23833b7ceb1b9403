import type { Urls } from '../../core/http/urls.js';
import type { Role } from '../../shared/policy/actor.js';
import { readBasicUser, toBasicUser } from '../users/index.js';
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
