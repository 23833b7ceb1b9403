import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { ApiErrors } from '../../../core/http/errors/api-errors.js';
import { API_VERSIONS } from '../../../core/versioning/accept.js';
import { Unversioned } from '../../../core/versioning/version.guard.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { EventStreamService } from './event-stream.service.js';

/** Streams the events that webhooks send, for clients behind a firewall. */
@ApiTags('events')
@Controller('api/events')
export class EventStreamController {
  constructor(private readonly streams: EventStreamService) {}

  @Get('stream')
  @Scope('event:list')
  @Unversioned()
  @ApiOperation({ summary: 'Stream events as Server-Sent Events' })
  @ApiErrors(404, 429)
  @ApiQuery({
    name: 'event',
    required: false,
    schema: { type: 'string' },
    description: 'Names of events, separated by commas',
  })
  @ApiQuery({ name: 'project_id', required: false, schema: { type: 'integer' } })
  @ApiQuery({
    name: 'version',
    required: false,
    enum: API_VERSIONS,
    description: 'API version of the objects; default: the newest',
  })
  @ApiQuery({
    name: 'last_event_id',
    required: false,
    schema: { type: 'string' },
    description: 'The same as the header, for clients that cannot set it',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Continue after this event. Absent: start with new events',
  })
  @ApiOkResponse({
    description: 'Each message is the payload of an event without `webhook_id`',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  stream(@CurrentActor() actor: Actor, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.streams.stream(actor, request, response);
  }
}
