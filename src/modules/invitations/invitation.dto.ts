import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/basic-user.dto.js';
import { ChoiceField, EmailField } from '../../core/http/fields.js';
import type { Role } from '../../shared/policy/actor.js';
import { ROLES } from '../memberships/index.js';

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
