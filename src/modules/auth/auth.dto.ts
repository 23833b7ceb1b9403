import { ApiProperty } from '@nestjs/swagger';
import { BoolField, EmailField, TextField } from '../../core/http/body/fields.js';
import { MAX_PASSWORD_LENGTH } from '../../engines/password/password-rules.js';
import { UsernameField } from '../users/index.js';

const OptionalText = (): PropertyDecorator => TextField({ optional: true, nullable: true, blank: true });
const PasswordField = (
  options: { max?: number; optional?: boolean; nullable?: boolean; blank?: boolean } = {},
): PropertyDecorator => TextField({ verbatim: true, format: 'password', ...options });

export class LoginDto {
  @OptionalText() username?: string | null;
  @OptionalText() email?: string | null;
  @PasswordField({ optional: true, nullable: true, blank: true }) password?: string | null;
}

export class TokenDto {
  @ApiProperty({ description: 'Send it in the header Authorization: Token <key>' }) key!: string;
}

export class DetailDto {
  @ApiProperty() detail!: string;
}

export class LogoutDto extends DetailDto {
  @ApiProperty({
    required: false,
    format: 'uri',
    description: 'Only for sessions that began at an identity provider: open it to end the session there',
  })
  logout_url?: string;
}

export class SingleSignOnDto {
  @ApiProperty({ description: 'Name of the identity provider' }) name!: string;
  @ApiProperty({
    description: 'Path to open in the browser. The query parameter `next` is the path of the page to show afterwards.',
  })
  url!: string;
}

export class LoginMethodsDto {
  @ApiProperty({ description: 'Whether users can log in with a password' }) password!: boolean;
  @ApiProperty({
    description: 'Whether users can reset their password. They cannot if all passwords are in a directory.',
  })
  password_reset!: boolean;
  @ApiProperty({ enum: ['open', 'invited', 'closed'], description: 'Who can create an account' }) registration!: string;
  @ApiProperty({ type: SingleSignOnDto, nullable: true }) single_sign_on!: SingleSignOnDto | null;
}

export class RegisterDto {
  @UsernameField({ min: 5 }) username!: string;
  @EmailField() email!: string;
  @PasswordField() password1!: string;
  @PasswordField() password2!: string;
  @TextField({ optional: true, blank: true }) first_name?: string;
  @TextField({ optional: true, blank: true }) last_name?: string;
  @TextField({
    optional: true,
    nullable: true,
    blank: true,
    max: 64,
    description: 'From the link of an invitation. Required if registration needs an invitation.',
  })
  invitation_key?: string | null;
}

export class RegisteredDto {
  @ApiProperty() username!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty() first_name!: string;
  @ApiProperty() last_name!: string;
  @ApiProperty() email_verification_required!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The token, as from a login. Null if the e-mail address must be confirmed first.',
  })
  key!: string | null;
}

export class NewPasswordDto {
  @PasswordField({ max: MAX_PASSWORD_LENGTH }) new_password1!: string;
  @PasswordField({ max: MAX_PASSWORD_LENGTH }) new_password2!: string;
  @BoolField({ optional: true, description: 'Keep your access tokens. By default they are deleted.' })
  keep_access_tokens?: boolean;
}

export class ChangePasswordDto extends NewPasswordDto {
  @PasswordField() old_password!: string;
}

export class ResetPasswordDto {
  @EmailField() email!: string;
}

export class ConfirmResetDto extends NewPasswordDto {
  @TextField({ max: 20 }) uid!: string;
  @TextField({ max: 200 }) token!: string;
}
