import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/basic-user.dto.js';
import { ChoiceField } from '../../core/http/fields.js';
import type { Role } from '../../shared/policy/actor.js';

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
