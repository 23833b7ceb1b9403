import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiQuery, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { ApiErrors } from '../../core/http/errors/api-errors.js';
import { IdPipe } from '../../core/http/request/ids.js';
import { Unversioned } from '../../core/versioning/version.guard.js';
import type { Actor } from '../../shared/policy/actor.js';
import { PresenceDto } from './presence.dto.js';
import { PresenceService } from './presence.service.js';

@ApiTags('jobs')
@ApiExtraModels(PresenceDto)
@Controller('api/jobs')
export class PresenceController {
  constructor(private readonly presence: PresenceService) {}

  @Get(':id/presence')
  @Scope('job:view')
  @Unversioned()
  @ApiOperation({
    summary: 'Stream who has a job open, and when its state or its annotations change',
    description:
      'As long as the stream is open, the others see you in the job. Each message is the complete current state. ' +
      'The server ends the stream after a minute; Server-Sent Events reconnect automatically.',
  })
  @ApiErrors(404, 429)
  @ApiQuery({
    name: 'window',
    required: false,
    schema: { type: 'string', pattern: '^[\\w-]{1,64}$' },
    description: 'Any id of the window. With it, a reconnection counts as the same window',
  })
  @ApiOkResponse({
    description: 'Server-Sent Events',
    content: { 'text/event-stream': { schema: { $ref: getSchemaPath(PresenceDto) } } },
  })
  stream(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.presence.stream(actor, id, request, response);
  }
}
