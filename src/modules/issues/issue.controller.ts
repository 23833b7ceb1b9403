import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { IdPipe } from '../../core/http/request/ids.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page-request.js';
import type { Actor } from '../../shared/policy/actor.js';
import { IssueCreation } from './issue.create.js';
import { CreateIssueDto, IssueDto, UpdateIssueDto } from './issue.dto.js';
import { issueList } from './issue.repository.js';
import { IssueDeletion, IssueService } from './issue.service.js';

@ApiTags('issues')
@Controller('api/issues')
export class IssueController {
  constructor(
    private readonly issues: IssueService,
    private readonly creation: IssueCreation,
    private readonly deletion: IssueDeletion,
  ) {}

  @Get()
  @Scope('issue:list')
  @ApiList(issueList)
  @ApiOkResponse({ type: pageDto(IssueDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<IssueDto>> {
    return this.issues.list(actor, query);
  }

  @Post()
  @Scope('issue:create')
  @ApiCreatedResponse({ type: IssueDto })
  create(@CurrentActor() actor: Actor, @JsonBody(CreateIssueDto) body: Unvalidated<CreateIssueDto>): Promise<IssueDto> {
    return this.creation.create(actor, body);
  }

  @Get(':id')
  @Scope('issue:view')
  @ApiOkResponse({ type: IssueDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<IssueDto> {
    return this.issues.get(actor, id);
  }

  @Patch(':id')
  @Scope('issue:update')
  @ApiOkResponse({ type: IssueDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateIssueDto) body: Unvalidated<UpdateIssueDto>,
  ): Promise<IssueDto> {
    return this.issues.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('issue:delete')
  @ApiNoContentResponse({ description: 'Deleted, with its comments' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.deletion.delete(actor, id);
  }
}
