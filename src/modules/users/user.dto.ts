import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';
import { ListField, textItem } from '../../core/http/body/composite-fields.js';
import { BoolField, EmailField, TextField } from '../../core/http/body/fields.js';

/** Names of groups, the most powerful first. */
export const GROUPS = ['admin', 'user', 'worker'] as const;

const USERNAME = /^[\p{L}\p{N}_.@+-]+$/u;
const USERNAME_MESSAGE =
  'Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.';

/** A user name in a request. */
export const UsernameField = (
  options: { readonly optional?: boolean; readonly min?: number } = {},
): PropertyDecorator => TextField({ max: 150, pattern: USERNAME, patternMessage: USERNAME_MESSAGE, ...options });

/** A user. Only staff and the user themselves see the fields after `last_name`. */
export class UserDto extends BasicUserDto {
  @ApiProperty({ required: false, maxLength: 254 }) email?: string;
  @ApiProperty({ required: false, enum: GROUPS, isArray: true }) groups?: string[];
  @ApiProperty({ required: false }) is_staff?: boolean;
  @ApiProperty({ required: false }) is_superuser?: boolean;
  @ApiProperty({ required: false }) is_active?: boolean;
  @ApiProperty({ required: false, type: String, format: 'date-time', nullable: true, readOnly: true })
  last_login?: string | null;
  @ApiProperty({ required: false, format: 'date-time', readOnly: true }) date_joined?: string;
  @ApiProperty({ required: false, readOnly: true, description: 'Absent if unknown' })
  has_analytics_access?: boolean;
}

/** The fields that all users can change about themselves. */
export class BasicUserChangeDto {
  @UsernameField({ optional: true }) username?: string;
  @TextField({ max: 150, blank: true, optional: true }) first_name?: string;
  @TextField({ max: 150, blank: true, optional: true }) last_name?: string;
}

/** The fields that staff can change. */
export class UserChangeDto extends BasicUserChangeDto {
  @EmailField({ blank: true, optional: true }) email?: string;
  @ListField(textItem(150), { optional: true, maxItems: 100, description: GROUPS.join(', ') }) groups?: string[];
  @BoolField({ optional: true }) is_staff?: boolean;
  @BoolField({ optional: true }) is_superuser?: boolean;
  @BoolField({ optional: true }) is_active?: boolean;
}
