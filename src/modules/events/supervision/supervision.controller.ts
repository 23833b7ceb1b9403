import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../../core/http/body/body.js';
import { ApiList } from '../../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import {
  ListenerDto,
  QuarantinedEventDto,
  quarantineList,
  RetriedEventsDto,
  RetryEventsDto,
} from './supervision.dto.js';
import { SupervisionService } from './supervision.service.js';

const WHO = 'Only for administrators.';

@ApiTags('events')
@Controller('api/events')
export class SupervisionController {
  constructor(private readonly supervision: SupervisionService) {}

  @Get('listeners')
  @Scope('event:supervise')
  @ApiOperation({ summary: 'List what handles events, and how far it has come', description: WHO })
  @ApiOkResponse({ type: ListenerDto, isArray: true })
  listeners(@CurrentActor() actor: Actor): Promise<ListenerDto[]> {
    return this.supervision.listeners(actor);
  }

  @Get('quarantine')
  @Scope('event:supervise')
  @ApiOperation({ summary: 'List events that could not be handled', description: WHO })
  @ApiList(quarantineList)
  @ApiOkResponse({ type: pageDto(QuarantinedEventDto) })
  quarantine(
    @CurrentActor() actor: Actor,
    @Query() query: Record<string, unknown>,
  ): Promise<Page<QuarantinedEventDto>> {
    return this.supervision.quarantine(actor, query);
  }

  @Post('quarantine/retry')
  @HttpCode(202)
  @Scope('event:supervise')
  @ApiOperation({
    summary: 'Handle events in quarantine again',
    description: `${WHO} Their listeners do so within seconds, before later events.`,
  })
  @ApiAcceptedResponse({ type: RetriedEventsDto })
  retry(
    @CurrentActor() actor: Actor,
    @JsonBody(RetryEventsDto) body: Unvalidated<RetryEventsDto>,
  ): Promise<RetriedEventsDto> {
    return this.supervision.retry(actor, body);
  }
}
