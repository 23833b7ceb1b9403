import { Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { Clock } from '../../core/clock.js';
import { ApiTextErrors } from '../../core/http/errors/api-errors.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page-request.js';
import { OlderRepresentations, RespondsWith } from '../../core/versioning/version.guard.js';
import type { Actor } from '../../shared/policy/actor.js';
import { Request21Dto, RequestDto, requestList } from './request.dto.js';
import { RequestService } from './request.service.js';

const ID = { name: 'id', example: 'action=create&target=task&target_id=5' };

@ApiTags('requests')
@OlderRepresentations(RequestDto, { '2.0': Request21Dto, '2.1': Request21Dto })
@Controller('api/requests')
export class RequestController {
  constructor(
    private readonly requests: RequestService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Scope('request:list')
  @RespondsWith('request')
  @ApiOperation({ summary: 'List your background requests' })
  @ApiList(requestList)
  @ApiOkResponse({ type: pageDto(RequestDto) })
  list(
    @CurrentActor() actor: Actor,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page<RequestDto>> {
    this.forbidCaching(response);
    return this.requests.list(actor, query);
  }

  @Get(':id')
  @Scope('request:view')
  @RespondsWith('request')
  @ApiOperation({ summary: 'Get a background request' })
  @ApiParam(ID)
  @ApiTextErrors(404)
  @ApiOkResponse({ type: RequestDto })
  get(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RequestDto> {
    this.forbidCaching(response);
    return this.requests.get(actor, id);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Scope('request:cancel')
  @ApiOperation({ summary: 'Cancel a background request; a running one stops' })
  @ApiParam(ID)
  @ApiTextErrors(400, 404)
  @ApiOkResponse({ description: 'The request is cancelled and deleted' })
  cancel(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    this.forbidCaching(response);
    return this.requests.cancel(actor, id);
  }

  /** Clients poll; a cached response would never show the end. */
  private forbidCaching(response: Response): void {
    response.setHeader('Cache-Control', 'max-age=0, no-cache, no-store, must-revalidate, private');
    response.setHeader('Expires', this.clock.now().toUTCString());
  }
}
