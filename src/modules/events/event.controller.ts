import { Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { ApiErrors } from '../../core/http/errors/api-errors.js';
import type { Actor } from '../../shared/policy/actor.js';
import { AcceptedEventsDto, ClientEventsDto } from './client/client-event.dto.js';
import { ClientEventsService } from './client/client-events.service.js';

@ApiTags('events')
@Controller('api/events')
export class EventController {
  constructor(private readonly clients: ClientEventsService) {}

  @Post()
  @Scope('event:send')
  @ApiOperation({
    summary: 'Report what a user does in a client',
    description: 'The server adds the working time. Its clock determines the times of the events.',
  })
  @ApiErrors(503)
  @ApiCreatedResponse({ type: AcceptedEventsDto })
  send(
    @CurrentActor() actor: Actor,
    @JsonBody(ClientEventsDto) body: Unvalidated<ClientEventsDto>,
  ): Promise<AcceptedEventsDto> {
    return this.clients.receive(actor, body);
  }
}
