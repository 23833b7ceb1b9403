import type { Urls } from '../../core/http/urls.js';
import type { Role } from '../../shared/policy/actor.js';
import { toBasicUser } from '../users/index.js';
import type { MembershipDto } from './membership.dto.js';

export interface MembershipRow {
  readonly id: number;
  readonly organization_id: number;
  readonly is_active: boolean;
  readonly joined_date: string | null;
  readonly role: Role;
  readonly invitation: string | null;
  readonly member_id: number;
  readonly member_username: string;
  readonly member_first_name: string;
  readonly member_last_name: string;
}

export const toMembership = (row: MembershipRow, urls: Urls): MembershipDto => ({
  id: row.id,
  user: toBasicUser(
    {
      id: row.member_id,
      username: row.member_username,
      firstName: row.member_first_name,
      lastName: row.member_last_name,
    },
    urls,
  ),
  organization: row.organization_id,
  is_active: row.is_active,
  joined_date: row.joined_date,
  role: row.role,
  invitation: row.invitation,
});
