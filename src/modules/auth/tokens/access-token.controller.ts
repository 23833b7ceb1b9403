import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { CurrentActor, identityOf } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../../core/http/body/body.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { ApiList } from '../../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import {
  AccessTokenDto,
  accessTokenList,
  AccessTokenService,
  CreateAccessTokenDto,
  NewAccessTokenDto,
  UpdateAccessTokenDto,
} from './access-token.service.js';

@ApiTags('auth')
@Controller('api/auth/access_tokens')
export class AccessTokenController {
  constructor(private readonly tokens: AccessTokenService) {}

  @Get()
  @Scope('access_token:list')
  @ApiOperation({ summary: 'List your access tokens that have not expired' })
  @ApiList(accessTokenList)
  @ApiOkResponse({ type: pageDto(AccessTokenDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<AccessTokenDto>> {
    return this.tokens.list(actor, query);
  }

  @Get('self')
  @Scope('access_token:view', 'required')
  @ApiOperation({ summary: 'Get the access token of this request' })
  @ApiOkResponse({ type: AccessTokenDto })
  self(@CurrentActor() actor: Actor, @Req() request: Request): Promise<AccessTokenDto> {
    return this.tokens.get(actor, Number(identityOf(request)?.credential.id));
  }

  @Post()
  @Scope('access_token:create', 'refused')
  @ApiOperation({ summary: 'Create an access token. Its value is shown only once.' })
  @ApiCreatedResponse({ type: NewAccessTokenDto })
  create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateAccessTokenDto) body: Unvalidated<CreateAccessTokenDto>,
  ): Promise<NewAccessTokenDto> {
    return this.tokens.create(actor, body);
  }

  @Get(':id')
  @Scope('access_token:view')
  @ApiOperation({ summary: 'Get an access token: one of your own; for administrators, any' })
  @ApiOkResponse({ type: AccessTokenDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<AccessTokenDto> {
    return this.tokens.get(actor, id);
  }

  @Patch(':id')
  @Scope('access_token:update', 'refused')
  @ApiOperation({ summary: 'Update the name, expiry date or permissions of an access token' })
  @ApiOkResponse({ type: AccessTokenDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateAccessTokenDto) body: Unvalidated<UpdateAccessTokenDto>,
  ): Promise<AccessTokenDto> {
    return this.tokens.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('access_token:delete', 'refused')
  @ApiOperation({ summary: 'Revoke an access token' })
  @ApiNoContentResponse({ description: 'Deleted' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.tokens.delete(actor, id);
  }
}
