import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { ExceptReadOnly, Scope } from '../../../core/access/scope.decorator.js';
import { JsonBody, LazyJsonBody, type ReadJson, type Unvalidated } from '../../../core/http/body/body.js';
import { ApiErrors } from '../../../core/http/errors/api-errors.js';
import { Unversioned } from '../../../core/versioning/version.guard.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { clientOf } from './agent-client.js';
import { QueueCompletion } from './queue.completion.js';
import {
  AcquireRequestDto,
  AssignmentDto,
  CompleteRequestDto,
  FailRequestDto,
  ReportProgressDto,
} from './queue.dto.js';
import { QueueService } from './queue.service.js';
import { QueueStreams } from './queue.streams.js';

const QUEUE = { name: 'queue', schema: { type: 'string' }, example: 'function:7' } as const;
const DONE = { schema: { type: 'object' }, description: 'An empty object' } as const;

/** What agents call. */
@ApiTags('functions')
@ApiParam(QUEUE)
@Controller('api/functions/queues/:queue')
export class QueueController {
  constructor(
    private readonly queues: QueueService,
    private readonly completion: QueueCompletion,
    private readonly streams: QueueStreams,
  ) {}

  @Get('watch')
  @Scope('function:serve')
  @ExceptReadOnly() // the function then has an agent
  @Unversioned()
  @ApiOperation({
    summary: 'Stream when a queue has work',
    description:
      'Events `newrequest`, whose data has the `request_category`. The server ends a stream after ten minutes; connect ' +
      'again then.',
  })
  @ApiErrors(404, 429)
  @ApiOkResponse({
    description: 'Server-Sent Events',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  watch(
    @CurrentActor() actor: Actor,
    @Param('queue') queue: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.streams.watch(actor, queue, request, response);
  }

  @Post('requests/acquire')
  @HttpCode(200)
  @Scope('function:serve')
  @ApiOperation({ summary: 'Get the next request of a queue' })
  @ApiErrors(404)
  @ApiOkResponse({ type: AssignmentDto })
  acquire(
    @CurrentActor() actor: Actor,
    @Param('queue') queue: string,
    @Req() request: Request,
    @JsonBody(AcquireRequestDto) body: Unvalidated<AcquireRequestDto>,
  ): Promise<AssignmentDto> {
    return this.queues.acquire(actor, queue, clientOf(request), body);
  }

  @Post('requests/:request/update')
  @HttpCode(200)
  @Scope('function:serve')
  @ApiOperation({ summary: 'Report the progress of a request, and extend its lease' })
  @ApiErrors(404, 409)
  @ApiOkResponse(DONE)
  async report(
    @CurrentActor() actor: Actor,
    @Param('queue') queue: string,
    @Param('request') id: string,
    @JsonBody(ReportProgressDto) body: Unvalidated<ReportProgressDto>,
  ): Promise<object> {
    await this.queues.report(actor, queue, id, body);
    return {};
  }

  @Post('requests/:request/complete')
  @HttpCode(200)
  @Scope('function:serve')
  @ApiOperation({ summary: 'Save the results of a request. An agent may repeat this.' })
  @ApiErrors(404, 409)
  @ApiBody({ type: CompleteRequestDto })
  @ApiOkResponse(DONE)
  async complete(
    @CurrentActor() actor: Actor,
    @Param('queue') queue: string,
    @Param('request') id: string,
    @LazyJsonBody({ limit: 'annotations' }) body: ReadJson,
  ): Promise<object> {
    await this.completion.complete(actor, queue, id, body);
    return {};
  }

  @Post('requests/:request/fail')
  @HttpCode(200)
  @Scope('function:serve')
  @ApiOperation({ summary: 'Report that a request has failed' })
  @ApiErrors(404, 409)
  @ApiOkResponse(DONE)
  async fail(
    @CurrentActor() actor: Actor,
    @Param('queue') queue: string,
    @Param('request') id: string,
    @JsonBody(FailRequestDto) body: Unvalidated<FailRequestDto>,
  ): Promise<object> {
    await this.queues.fail(actor, queue, id, body);
    return {};
  }
}
