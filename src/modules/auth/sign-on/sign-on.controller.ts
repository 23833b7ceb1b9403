import { Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../core/access/scope.decorator.js';
import { readBytes } from '../../../core/http/body/body.js';
import { NotFound } from '../../../core/http/errors/errors.js';
import { Unversioned } from '../../../core/versioning/version.guard.js';
import { LoginLinks } from '../login/login-links.js';
import { IdentityProvider } from './identity-provider.js';
import { SignOnService } from './sign-on.service.js';

const MAX_LOGOUT_BYTES = 64 * 1024;

/** The steps of a login without a password, which browsers open. Every outcome is a redirect. */
@ApiExcludeController()
@Unversioned()
@Public()
@Controller('api/auth')
export class SignOnController {
  constructor(
    private readonly signOn: SignOnService,
    private readonly provider: IdentityProvider,
    private readonly links: LoginLinks,
  ) {}

  @Get('oidc/login')
  async login(@Query('next') next: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    this.requireProvider();
    redirect(response, await this.signOn.begin(next, request, response));
  }

  @Get('oidc/callback')
  async callback(@Req() request: Request, @Res() response: Response): Promise<void> {
    this.requireProvider();
    redirect(response, await this.signOn.finish(request, response));
  }

  /**
   * The provider's own request, without a browser (OpenID Connect Back-Channel Logout 1.0). Not limited: all come from the
   * same address, and a refused one may not be repeated.
   */
  @Public({ throttled: false })
  @Post('oidc/backchannel_logout')
  @HttpCode(200)
  async endSessions(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<object> {
    this.requireProvider();
    const form = new URLSearchParams((await readBytes(request, response, MAX_LOGOUT_BYTES)).toString('utf8'));
    const isDone = await this.signOn.endSessions(form.get('logout_token') ?? '');
    response.status(isDone ? 200 : 400).setHeader('Cache-Control', 'no-store');
    return isDone ? {} : { error: 'invalid_request' };
  }

  /** A link that `cairn user login-link` has printed. */
  @Get('login-link')
  async useLink(
    @Query('uid') uid: unknown,
    @Query('token') token: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    redirect(response, await this.links.use(String(uid), String(token), request, response));
  }

  private requireProvider(): void {
    if (!this.provider.isConfigured) throw new NotFound();
  }
}

function redirect(response: Response, to: string): void {
  response.setHeader('Cache-Control', 'no-store');
  response.redirect(303, to);
}
