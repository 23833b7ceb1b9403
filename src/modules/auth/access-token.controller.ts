import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { CurrentActor, identityOf } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body.js';
import { NotFound } from '../../core/http/errors.js';
import { IdPipe } from '../../core/http/id.pipe.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page.dto.js';
import type { Actor } from '../../shared/policy/actor.js';
import { accessTokenList } from './access-token.list.js';
import { AccessTokenService } from './access-token.service.js';
import {
  AccessTokenDto,
  CreateAccessTokenDto,
  NewAccessTokenDto,
  UpdateAccessTokenDto,
} from './dto/access-token.dto.js';

@ApiTags('auth')
@Controller('api/auth/access_tokens')
export class AccessTokenController {
  constructor(@Inject(AccessTokenService) private readonly tokens: AccessTokenService) {}

  @Get()
  @Scope('access_token:list')
  @ApiOperation({ summary: 'The own access tokens' })
  @ApiList(accessTokenList)
  @ApiOkResponse({ type: pageDto(AccessTokenDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<AccessTokenDto>> {
    return this.tokens.list(actor, query);
  }

  @Get('self')
  @Scope('access_token:view')
  @ApiOperation({ summary: 'The access token of this request' })
  @ApiOkResponse({ type: AccessTokenDto })
  self(@CurrentActor() actor: Actor, @Req() request: Request): Promise<AccessTokenDto> {
    const credential = identityOf(request)?.credential;
    if (credential?.kind !== 'bearer') throw NotFound.of('AccessToken');
    return this.tokens.get(actor, Number(credential.id));
  }

  @Post()
  @Scope('access_token:create')
  @ApiOperation({ summary: 'Make an access token; its value is shown this once' })
  @ApiCreatedResponse({ type: NewAccessTokenDto })
  create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateAccessTokenDto) body: Unvalidated<CreateAccessTokenDto>,
  ): Promise<NewAccessTokenDto> {
    return this.tokens.create(actor, body);
  }

  @Get(':id')
  @Scope('access_token:view')
  @ApiOperation({ summary: 'One of the own access tokens' })
  @ApiOkResponse({ type: AccessTokenDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<AccessTokenDto> {
    return this.tokens.get(actor, id);
  }

  @Patch(':id')
  @Scope('access_token:update')
  @ApiOperation({ summary: 'Rename an access token, or change its end or what it may do' })
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
  @Scope('access_token:delete')
  @ApiOperation({ summary: 'Revoke an access token' })
  @ApiNoContentResponse({ description: 'Gone' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.tokens.delete(actor, id);
  }
}
