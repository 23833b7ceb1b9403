import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor, identityOf, MaybeActor } from '../../core/access/current-actor.decorator.js';
import { AlsoReadOnly, Public, Scope } from '../../core/access/scope.decorator.js';
import { ApiErrors } from '../../core/http/errors/api-errors.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { slashed } from '../../core/http/request/trailing-slash.js';
import type { Actor } from '../../shared/policy/actor.js';
import {
  ChangePasswordDto,
  ConfirmResetDto,
  DetailDto,
  LoginDto,
  LoginMethodsDto,
  LogoutDto,
  RegisterDto,
  RegisteredDto,
  ResetPasswordDto,
  TokenDto,
} from './auth.dto.js';
import { EmailVerification } from './accounts/email-verification.js';
import { LoginService } from './login/login.service.js';
import { PasswordChangeService, PasswordResetService } from './passwords/password-change.js';
import { LocalPasswords } from './passwords/local-passwords.js';
import { SignOnService } from './sign-on/sign-on.service.js';
import { RegistrationService } from './login/registration.service.js';

const LOGGED_OUT: LogoutDto = { detail: 'Successfully logged out.' };

@ApiTags('auth')
@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly logins: LoginService,
    private readonly registrations: RegistrationService,
    private readonly changes: PasswordChangeService,
    private readonly resets: PasswordResetService,
    private readonly verification: EmailVerification,
    private readonly passwords: LocalPasswords,
    private readonly signOn: SignOnService,
  ) {}

  @Get('methods')
  @Public({ throttled: false })
  @ApiOperation({ summary: 'Get the ways to log in to this server' })
  @ApiOkResponse({ type: LoginMethodsDto })
  methods(): LoginMethodsDto {
    return this.signOn.methods();
  }

  @Post('login')
  @HttpCode(200)
  @Public()
  @ApiOperation({
    summary: 'Log in with a user name or an e-mail address. Returns a token, and sets the cookies of a session.',
  })
  @ApiOkResponse({ type: TokenDto })
  @ApiErrors(403, 503)
  async login(
    @JsonBody(LoginDto) body: Unvalidated<LoginDto>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenDto> {
    this.passwords.requireLogin();
    return { key: await this.logins.logIn(body, request, response) };
  }

  @Post('logout')
  @HttpCode(200)
  @Public()
  @AlsoReadOnly()
  @ApiOperation({ summary: 'Log out: end the session and delete the token. Does nothing for an access token.' })
  @ApiOkResponse({ type: LogoutDto })
  @ApiErrors(403)
  async logout(
    @MaybeActor() actor: Actor | null,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<LogoutDto> {
    if (identityOf(request)?.credential.kind === 'bearer') return LOGGED_OUT;
    const url = await this.signOn.logoutUrl(request);
    await this.logins.logOut(actor?.id ?? null, request, response);
    return { ...LOGGED_OUT, ...(url === null ? {} : { logout_url: url }) };
  }

  @Post('register')
  @Public()
  @ApiOperation({ summary: 'Create an account, and unless the e-mail address must be confirmed first, log in' })
  @ApiCreatedResponse({ type: RegisteredDto })
  @ApiErrors(403)
  register(
    @JsonBody(RegisterDto) body: Unvalidated<RegisterDto>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RegisteredDto> {
    this.passwords.require();
    return this.registrations.register(body, request, response);
  }

  @Get(slashed('account-confirm-email/:key'))
  @Public()
  @ApiOperation({ summary: 'Confirm an e-mail address with the key in the link that was sent to it' })
  @ApiOkResponse({ type: DetailDto })
  async confirmEmail(@Param('key') key: string): Promise<DetailDto> {
    await this.verification.confirm(key);
    return { detail: 'ok' };
  }

  @Post('password/change')
  @HttpCode(200)
  @Scope('password:change', 'unknown')
  @ApiOperation({
    summary: 'Change your password. Your sessions, token and, unless you keep them, access tokens are revoked.',
  })
  @ApiOkResponse({ type: DetailDto })
  @ApiErrors(429)
  async changePassword(
    @CurrentActor() actor: Actor,
    @JsonBody(ChangePasswordDto) body: Unvalidated<ChangePasswordDto>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DetailDto> {
    this.passwords.require();
    await this.changes.change(actor, body, request, response);
    return { detail: 'New password has been saved.' };
  }

  @Post('password/reset')
  @HttpCode(200)
  @Public()
  @ApiOperation({ summary: 'Request a link to set a new password' })
  @ApiOkResponse({ type: DetailDto, description: 'The response is the same for known and unknown addresses' })
  @ApiErrors(403)
  async resetPassword(@JsonBody(ResetPasswordDto) body: Unvalidated<ResetPasswordDto>): Promise<DetailDto> {
    this.passwords.require();
    await this.resets.request(body);
    return { detail: 'Password reset e-mail has been sent.' };
  }

  @Post('password/reset/confirm')
  @HttpCode(200)
  @Public()
  @ApiOperation({ summary: 'Set a new password with the values in the link' })
  @ApiOkResponse({ type: DetailDto })
  @ApiErrors(403)
  async confirmReset(@JsonBody(ConfirmResetDto) body: Unvalidated<ConfirmResetDto>): Promise<DetailDto> {
    this.passwords.require();
    await this.resets.confirm(body);
    return { detail: 'Password has been reset with the new password.' };
  }
}
