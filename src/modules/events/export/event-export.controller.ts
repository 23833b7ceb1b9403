import { Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { AlsoReadOnly, Scope } from '../../../core/access/scope.decorator.js';
import { ApiErrors, ApiTextErrors } from '../../../core/http/errors/api-errors.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { EXPORT_PARAMETERS, REQUEST_PARAMETER, sendExport } from '../../exchange/index.js';
import { RequestIdDto } from '../../media/index.js';
import { EventExportService } from './event-export.service.js';

class QueryIdDto {
  @ApiProperty({ format: 'uuid' }) query_id!: string;
}

const ID = { required: false, type: 'integer' } as const;
const TIME = { required: false, type: String } as const;
const FILTERS = [
  ApiQuery({ ...ID, name: 'project_id' }),
  ApiQuery({ ...ID, name: 'task_id' }),
  ApiQuery({ ...ID, name: 'job_id' }),
  ApiQuery({ ...ID, name: 'user_id' }),
  ApiQuery({
    ...TIME,
    name: 'from',
    description: 'With a time zone, inclusive. Default: creation of the named object',
  }),
  ApiQuery({ ...TIME, name: 'to', description: 'With a time zone, inclusive. Default: now' }),
  ApiQuery({ ...EXPORT_PARAMETERS.filename, description: 'Default: `logs_` with the time' }),
];
const Filters = (): MethodDecorator => (target, key, descriptor) => {
  for (const filter of FILTERS) filter(target, key, descriptor);
};

const CSV_TYPE = 'text/csv';
const CSV = { [CSV_TYPE]: { schema: { type: 'string' } } };
/** When the older form was deprecated, as in the contract. */
const DEPRECATED = '@1742169600';
const WHO =
  'Administrators export all events; maintainers of organizations those of the named organization; others their own.';

@ApiTags('events')
@Controller('api/events')
export class EventExportController {
  constructor(private readonly exports: EventExportService) {}

  @Post('export')
  @HttpCode(202)
  @Scope('event:export')
  @AlsoReadOnly()
  @ApiOperation({ summary: 'Export events as CSV', description: WHO })
  @Filters()
  @ApiQuery({ ...EXPORT_PARAMETERS.location, description: 'Default: `local`' })
  @ApiQuery(EXPORT_PARAMETERS.cloudStorage)
  @ApiAcceptedResponse({ type: RequestIdDto, description: 'The export is queued; the request has the URL of its file' })
  async start(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<RequestIdDto> {
    return { rq_id: await this.exports.start(actor, query) };
  }

  @Get('download')
  @Scope('event:download')
  @ApiOperation({ summary: 'Download exported events; only their requester and administrators may' })
  @ApiQuery(REQUEST_PARAMETER)
  @ApiTextErrors(400, 404)
  @ApiOkResponse({ description: 'CSV', content: CSV })
  async download(
    @CurrentActor() actor: Actor,
    @Query() query: Record<string, unknown>,
    @Res() response: Response,
  ): Promise<void> {
    await sendExport(response, await this.exports.download(actor, query), CSV_TYPE);
  }

  @Get()
  @Scope('event:export')
  @ApiOperation({
    summary: 'Export events as CSV: the older form',
    description: `Starts an export, asks whether it has finished, and downloads it once. ${WHO}`,
    deprecated: true,
  })
  @Filters()
  @ApiQuery({ name: 'query_id', required: false, schema: { type: 'string', format: 'uuid' } })
  @ApiQuery({ name: 'action', required: false, enum: ['download'] })
  @ApiErrors(404)
  @ApiAcceptedResponse({ type: QueryIdDto, description: 'The export is queued or running' })
  @ApiCreatedResponse({ description: 'The file can be downloaded' })
  @ApiOkResponse({ description: 'CSV', content: CSV })
  async older(
    @CurrentActor() actor: Actor,
    @Query() query: Record<string, unknown>,
    @Res() response: Response,
  ): Promise<void> {
    response.setHeader('Deprecation', DEPRECATED);
    const result = await this.exports.older(actor, query);
    response.status(result.status);
    if (result.status === 200) {
      response.removeHeader('Deprecation');
      await sendExport(response, result.file, CSV_TYPE);
      await result.forget();
      return;
    }
    const body: QueryIdDto | null = result.status === 202 ? { query_id: result.queryId } : null;
    response.setHeader('Content-Type', 'application/vnd.cvat+json');
    response.end(body === null ? undefined : JSON.stringify(body));
  }
}
