import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { ApiErrors } from '../../core/http/errors/api-errors.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { InvalidList } from '../../core/http/errors/errors.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page-request.js';
import type { Actor } from '../../shared/policy/actor.js';
import { InvitationCreation } from './invitation.create.js';
import { AcceptedDto, CreateInvitationDto, InvitationDto } from './invitation.dto.js';
import { invitationList } from './invitation.repository.js';
import { InvitationService } from './invitation.service.js';

@ApiTags('invitations')
@Controller('api/invitations')
export class InvitationController {
  constructor(
    private readonly invitations: InvitationService,
    private readonly creation: InvitationCreation,
  ) {}

  @Get()
  @Scope('invitation:list')
  @ApiOperation({
    summary: 'List the invitations that you sent or received. Owners and maintainers see all of their organization.',
  })
  @ApiList(invitationList)
  @ApiOkResponse({ type: pageDto(InvitationDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<InvitationDto>> {
    return this.invitations.list(actor, query);
  }

  @Post()
  @Scope('invitation:create')
  @ApiOperation({ summary: 'Invite a person to the organization' })
  @ApiCreatedResponse({ type: InvitationDto })
  create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateInvitationDto) body: Unvalidated<CreateInvitationDto>,
  ): Promise<InvitationDto> {
    return this.creation.create(actor, body);
  }

  @Get(':key')
  @Scope('invitation:view')
  @ApiOperation({ summary: 'Get an invitation' })
  @ApiOkResponse({ type: InvitationDto })
  get(@CurrentActor() actor: Actor, @Param('key') key: string): Promise<InvitationDto> {
    return this.invitations.get(actor, key);
  }

  @Patch(':key')
  @Scope('invitation:accept')
  @ApiOperation({ summary: 'Accept an invitation (for older clients)', deprecated: true })
  @ApiQuery({ name: 'accepted', type: String })
  @ApiOkResponse({ type: InvitationDto })
  async update(
    @CurrentActor() actor: Actor,
    @Param('key') key: string,
    @Query() query: Record<string, unknown>,
  ): Promise<InvitationDto> {
    if (query['accepted'] === undefined) throw new InvalidList('The query parameter "accepted" is missing.');
    return this.invitations.acceptOnce(actor, key);
  }

  @Delete(':key')
  @HttpCode(204)
  @Scope('invitation:delete')
  @ApiOperation({ summary: 'Delete an invitation, and keep the membership' })
  @ApiNoContentResponse({ description: 'Deleted' })
  delete(@CurrentActor() actor: Actor, @Param('key') key: string): Promise<void> {
    return this.invitations.delete(actor, key);
  }

  @Post(':key/accept')
  @HttpCode(200)
  @Scope('invitation:accept')
  @ApiOperation({ summary: 'Accept an invitation' })
  @ApiOkResponse({ type: AcceptedDto })
  async accept(@CurrentActor() actor: Actor, @Param('key') key: string): Promise<AcceptedDto> {
    return { organization_slug: await this.invitations.accept(actor, key) };
  }

  @Post(':key/decline')
  @HttpCode(204)
  @Scope('invitation:decline')
  @ApiOperation({ summary: 'Decline an invitation, and delete the membership' })
  @ApiNoContentResponse({ description: 'Deleted' })
  decline(@CurrentActor() actor: Actor, @Param('key') key: string): Promise<void> {
    return this.invitations.decline(actor, key);
  }

  @Post(':key/resend')
  @HttpCode(204)
  @Scope('invitation:resend')
  @ApiOperation({ summary: 'Send the link again, up to five times an hour' })
  @ApiNoContentResponse({ description: 'Sent' })
  @ApiErrors(429)
  resend(@CurrentActor() actor: Actor, @Param('key') key: string): Promise<void> {
    return this.invitations.resend(actor, key);
  }
}
