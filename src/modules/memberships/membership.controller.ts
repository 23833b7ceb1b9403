import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { IdPipe } from '../../core/http/request/ids.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page-request.js';
import type { Actor } from '../../shared/policy/actor.js';
import { OrganizationDto } from '../organizations/index.js';
import { MembershipDto, TransferDto, UpdateMembershipDto } from './membership.dto.js';
import { membershipList } from './membership.repository.js';
import { MembershipService, TransferService } from './membership.service.js';

@ApiTags('memberships')
@Controller('api/memberships')
export class MembershipController {
  constructor(private readonly memberships: MembershipService) {}

  @Get()
  @Scope('membership:list')
  @ApiOperation({ summary: 'List the memberships of the organization, or without one, your own' })
  @ApiList(membershipList)
  @ApiOkResponse({ type: pageDto(MembershipDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<MembershipDto>> {
    return this.memberships.list(actor, query);
  }

  @Get(':id')
  @Scope('membership:view')
  @ApiOperation({ summary: 'Get a membership' })
  @ApiOkResponse({ type: MembershipDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<MembershipDto> {
    return this.memberships.get(actor, id);
  }

  @Patch(':id')
  @Scope('membership:change:role')
  @ApiOperation({ summary: 'Change the role of a member' })
  @ApiOkResponse({ type: MembershipDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateMembershipDto) body: Unvalidated<UpdateMembershipDto>,
  ): Promise<MembershipDto> {
    return this.memberships.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('membership:delete')
  @ApiOperation({ summary: 'Remove a member, or leave the organization' })
  @ApiNoContentResponse({ description: 'Deleted, with its invitation' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.memberships.delete(actor, id);
  }
}

@ApiTags('organizations')
@Controller('api/organizations')
export class TransferController {
  constructor(private readonly transfers: TransferService) {}

  @Post(':id/transfer')
  @HttpCode(200)
  @Scope('organization:transfer')
  @ApiOperation({ summary: 'Transfer an organization to another member. The previous owner becomes a maintainer.' })
  @ApiOkResponse({ type: OrganizationDto })
  transfer(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(TransferDto) body: Unvalidated<TransferDto>,
  ): Promise<OrganizationDto> {
    return this.transfers.transfer(actor, id, body);
  }
}
