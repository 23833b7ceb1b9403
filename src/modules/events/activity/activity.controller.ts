import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { ApiErrors } from '../../../core/http/errors/api-errors.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { contentDisposition } from '../../../core/http/response/content-disposition.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { ActivityDto } from './activity.dto.js';
import { ACTIVITY_TABLES, ActivityService } from './activity.service.js';

const DAY = { required: false, schema: { type: 'string', format: 'date' } } as const;
const FROM = { ...DAY, name: 'from', description: 'The first day, in UTC. Default: 29 days before the last' };
const TO = { ...DAY, name: 'to', description: 'The last day. Default: today. A range has at most 366 days' };
const IDLE = {
  name: 'idle_days',
  required: false,
  type: 'integer',
  description: 'Jobs in progress are idle if they have not changed for this many days. Default: 7',
} as const;

@ApiTags('projects')
@Controller('api/projects')
export class ActivityController {
  constructor(private readonly activity: ActivityService) {}

  @Get(':id/activity')
  @Scope('project:view:activity')
  @ApiOperation({
    summary: 'Get figures about the work in a project by day and by person',
    description:
      'They come from the event log, so they begin when the server began to record it, and end with its retention period.',
  })
  @ApiErrors(404)
  @ApiQuery(FROM)
  @ApiQuery(TO)
  @ApiQuery(IDLE)
  @ApiOkResponse({ type: ActivityDto })
  get(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
  ): Promise<ActivityDto> {
    return this.activity.get(actor, id, query);
  }

  @Get(':id/activity/csv')
  @Scope('project:view:activity')
  @ApiOperation({ summary: 'Download a table of the figures about the work in a project' })
  @ApiErrors(404)
  @ApiQuery({ name: 'table', required: false, enum: [...ACTIVITY_TABLES], description: 'Default: days' })
  @ApiQuery(FROM)
  @ApiQuery(TO)
  @ApiQuery(IDLE)
  @ApiOkResponse({ description: 'CSV', content: { 'text/csv': { schema: { type: 'string' } } } })
  async csv(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
    @Res() response: Response,
  ): Promise<void> {
    const { name, text } = await this.activity.csv(actor, id, query);
    response.setHeader('Content-Type', 'text/csv; charset=utf-8');
    response.setHeader('Content-Disposition', contentDisposition('attachment', name));
    response.end(text);
  }
}
