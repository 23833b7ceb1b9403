import { ApiProperty } from '@nestjs/swagger';
import { ListField, textItem } from '../../../core/http/body/composite-fields.js';
import { BoolField, EmailField, TextField } from '../../../core/http/body/fields.js';
import { MAX_PASSWORD_LENGTH } from '../../../engines/password/password-rules.js';
import { GROUPS, UserDto, UsernameField } from '../../users/index.js';

export class CreateUserDto {
  @UsernameField() username!: string;
  @EmailField({ optional: true, blank: true }) email?: string;
  @TextField({ max: 150, blank: true, optional: true }) first_name?: string;
  @TextField({ max: 150, blank: true, optional: true }) last_name?: string;
  @TextField({
    verbatim: true,
    format: 'password',
    max: MAX_PASSWORD_LENGTH,
    optional: true,
    nullable: true,
    description: 'Without a password, the user sets one with a link.',
  })
  password?: string | null;
  @ListField(textItem(150), {
    optional: true,
    maxItems: 100,
    description: `${GROUPS.join(', ')}. Default: user. Members of admin are also staff and superusers.`,
  })
  groups?: string[];
}

/** How a user gets the link to set a password. */
export class PasswordLinkDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The link, if it was not sent by e-mail. It can be used once.',
  })
  link!: string | null;
  @ApiProperty({ type: String, format: 'email', nullable: true, description: 'The address that the link was sent to' })
  sent_to!: string | null;
  @ApiProperty({ format: 'date-time', description: 'When the link expires' }) expiry_date!: string;
}

export class CreatedUserDto extends UserDto {
  @ApiProperty({
    type: PasswordLinkDto,
    nullable: true,
    description: 'Null if the request had a password, or if users cannot log in with one',
  })
  password_link!: PasswordLinkDto | null;
}

export class ResetUserPasswordDto {
  @BoolField({ optional: true, description: 'Keep the access tokens of the user. By default they are revoked.' })
  keep_access_tokens?: boolean;
  @BoolField({ optional: true, description: 'Return the link even if the server can send it by e-mail' })
  show_link?: boolean;
}
