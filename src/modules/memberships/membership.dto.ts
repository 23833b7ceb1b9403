import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';
import { ChoiceField, IntField } from '../../core/http/body/fields.js';
import type { Role } from '../../shared/policy/actor.js';
import type { Urls } from '../../core/http/response/urls.js';
import { toBasicUser } from '../users/index.js';

/** Roles, the least powerful first. */
export const ROLES = ['worker', 'supervisor', 'maintainer', 'owner'] as const satisfies readonly Role[];

export class UpdateMembershipDto {
  @ChoiceField(ROLES, { optional: true }) role?: Role;
}

export class MembershipDto {
  @ApiProperty() id!: number;
  @ApiProperty({ type: BasicUserDto }) user!: BasicUserDto;
  @ApiProperty({ type: Number }) organization!: number;
  @ApiProperty({ description: 'False until an invitation is accepted' }) is_active!: boolean;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) joined_date!: string | null;
  @ApiProperty({ enum: ROLES }) role!: Role;
  @ApiProperty({ type: String, nullable: true, description: 'Key of the invitation' }) invitation!: string | null;
}

export class TransferDto {
  @IntField({ min: 1, description: 'The new owner. Must be an active member.' }) user_id!: number;
}

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
