import { Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../../core/http/body/body.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { ApiList } from '../../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { AccessTokenDto, accessTokenList, AccessTokenService } from '../tokens/access-token.service.js';
import { CreatedUserDto, CreateUserDto, PasswordLinkDto, ResetUserPasswordDto } from './account.dto.js';
import { ManagedAccounts } from './managed-accounts.js';

/** The part of `/api/users` that needs passwords, sessions and tokens. */
@ApiTags('users')
@Controller('api/users')
export class AccountController {
  constructor(
    private readonly accounts: ManagedAccounts,
    private readonly tokens: AccessTokenService,
  ) {}

  @Post()
  @Scope('user:create', 'refused')
  @ApiOperation({
    summary: 'Create a user',
    description:
      'Only for administrators. Without a password, the user is sent a link to set one; if the server cannot send ' +
      'e-mail, the response has the link.',
  })
  @ApiCreatedResponse({ type: CreatedUserDto })
  create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateUserDto) body: Unvalidated<CreateUserDto>,
  ): Promise<CreatedUserDto> {
    return this.accounts.create(actor, body);
  }

  @Post(':id/password_reset')
  @HttpCode(200)
  @Scope('user:manage', 'refused')
  @ApiOperation({
    summary: 'Reset the password of a user',
    description:
      'Only for administrators. The password, the sessions, the login token and, unless they are kept, the access ' +
      'tokens of the user become invalid. The user is sent a link to set a new password; if the server cannot send ' +
      'e-mail, the response has the link.',
  })
  @ApiOkResponse({ type: PasswordLinkDto })
  resetPassword(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(ResetUserPasswordDto) body: Unvalidated<ResetUserPasswordDto>,
  ): Promise<PasswordLinkDto> {
    return this.accounts.resetPassword(actor, id, body);
  }

  @Delete(':id/sessions')
  @HttpCode(204)
  @Scope('user:manage', 'refused')
  @ApiOperation({
    summary: 'End all sessions of a user, and delete the login token. Access tokens stay valid. For administrators.',
  })
  @ApiNoContentResponse({ description: 'Ended' })
  endSessions(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.accounts.endSessions(actor, id);
  }

  @Get(':id/access_tokens')
  @Scope('user:manage')
  @ApiOperation({ summary: 'List the access tokens of a user, for administrators' })
  @ApiList(accessTokenList)
  @ApiOkResponse({ type: pageDto(AccessTokenDto) })
  async listTokens(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
  ): Promise<Page<AccessTokenDto>> {
    return this.tokens.listOf(actor, await this.accounts.manage(actor, id), query);
  }

  @Delete(':id/access_tokens/:token')
  @HttpCode(204)
  @Scope('user:manage', 'refused')
  @ApiOperation({ summary: 'Revoke an access token of a user, for administrators' })
  @ApiNoContentResponse({ description: 'Revoked' })
  async revokeToken(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Param('token', IdPipe) token: number,
  ): Promise<void> {
    await this.tokens.revoke(actor, await this.accounts.manage(actor, id), token);
  }
}
