import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';
import { ChoiceField, EmailField } from '../../core/http/body/fields.js';
import type { Role } from '../../shared/policy/actor.js';
import { ROLES } from '../memberships/index.js';
import type { Urls } from '../../core/http/response/urls.js';
import { readBasicUser, toBasicUser } from '../users/index.js';

export class CreateInvitationDto {
  @ChoiceField(ROLES) role!: Role;
  @EmailField() email!: string;
}

export class OrganizationInfoDto {
  @ApiProperty() id!: number;
  @ApiProperty() slug!: string;
}

export class InvitationDto {
  @ApiProperty({ description: '64 letters and digits' }) key!: string;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ type: BasicUserDto, nullable: true, description: 'The person who invites' })
  owner!: BasicUserDto | null;
  @ApiProperty({ enum: ROLES }) role!: Role;
  @ApiProperty({ type: BasicUserDto, description: 'The invited person' }) user!: BasicUserDto;
  @ApiProperty({ type: Number }) organization!: number;
  @ApiProperty({ type: Boolean, nullable: true, description: 'Null if the invitation was never sent' }) expired!:
    boolean | null;
  @ApiProperty({ type: OrganizationInfoDto }) organization_info!: OrganizationInfoDto;
}

export class AcceptedDto {
  @ApiProperty() organization_slug!: string;
}

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
