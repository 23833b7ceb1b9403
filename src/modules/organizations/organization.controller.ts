import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { IdPipe } from '../../core/http/request/ids.js';
import { Urls } from '../../core/http/response/urls.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { ListService } from '../../core/list/list.service.js';
import { type Page, pageDto } from '../../core/list/page-request.js';
import type { Actor } from '../../shared/policy/actor.js';
import { organizationPolicy } from '../../shared/policy/organization.policy.js';
import {
  CreateOrganizationDto,
  ORGANIZATION_COLUMNS,
  OrganizationDto,
  type OrganizationRow,
  toOrganization,
  UpdateOrganizationDto,
} from './organization.dto.js';
import { organizationList } from './organization.repository.js';
import { OrganizationService } from './organization.service.js';

@ApiTags('organizations')
@Controller('api/organizations')
export class OrganizationController {
  constructor(
    private readonly organizations: OrganizationService,
    private readonly lists: ListService,
  ) {}

  @Get()
  @Scope('organization:list')
  @ApiOperation({ summary: 'List the organizations that you own or are an active member of' })
  @ApiList(organizationList)
  @ApiOkResponse({ type: pageDto(OrganizationDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<OrganizationDto>> {
    const visible = organizationPolicy.visible(actor);
    const url = `${actor.baseUrl}/api/organizations`;
    const urls = new Urls(actor.baseUrl);
    return this.lists.page(
      organizationList,
      { select: ORGANIZATION_COLUMNS, visible, organization: 'any', query, url },
      (row: OrganizationRow) => toOrganization(row, urls),
    );
  }

  @Post()
  @Scope('organization:create')
  @ApiOperation({ summary: 'Create an organization. You become its owner.' })
  @ApiCreatedResponse({ type: OrganizationDto })
  create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateOrganizationDto) body: Unvalidated<CreateOrganizationDto>,
  ): Promise<OrganizationDto> {
    return this.organizations.create(actor, body);
  }

  @Get(':id')
  @Scope('organization:view')
  @ApiOperation({ summary: 'Get an organization' })
  @ApiOkResponse({ type: OrganizationDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<OrganizationDto> {
    return this.organizations.get(actor, id);
  }

  @Patch(':id')
  @Scope('organization:update')
  @ApiOperation({ summary: 'Update an organization' })
  @ApiOkResponse({ type: OrganizationDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateOrganizationDto) body: Unvalidated<UpdateOrganizationDto>,
  ): Promise<OrganizationDto> {
    return this.organizations.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('organization:delete')
  @ApiOperation({ summary: 'Delete an organization. Its projects and tasks stay with their owners.' })
  @ApiNoContentResponse({ description: 'Deleted, with its memberships, invitations and webhooks' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.organizations.delete(actor, id);
  }
}
