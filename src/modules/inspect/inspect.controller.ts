import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiExcludeEndpoint,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor, MaybeActor } from '../../core/access/current-actor.decorator.js';
import { Public, Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { ApiError, Unauthenticated } from '../../core/http/errors/errors.js';
import { prefersEmpty } from '../../core/http/request/prefer.js';
import { EventChannels } from '../../core/http/response/server-sent-events.js';
import { Unversioned } from '../../core/versioning/version.guard.js';
import type { Actor } from '../../shared/policy/actor.js';
import { CreateBoxDto, InspectBoxDto, InspectService } from './inspect.service.js';

/** Larger bodies are refused. */
const MAX_BODY = 2 ** 20;
const LOOK_MS = 500;

/** Shows what a webhook sends. */
@ApiTags('inspect')
@Controller()
export class InspectController {
  constructor(
    private readonly boxes: InspectService,
    private readonly channels: EventChannels,
  ) {}

  @Get('api/inspect')
  @Scope('inspect:list')
  @ApiOperation({ summary: 'List your inspection URLs, newest first' })
  @ApiHeader({
    name: 'Prefer',
    required: false,
    description: '`handling=empty`: 204 instead of 404 if INSPECT_ENABLED is false',
  })
  @ApiOkResponse({ type: [InspectBoxDto] })
  @ApiNoContentResponse({ description: 'INSPECT_ENABLED is false, and the client prefers an empty response' })
  async list(
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<InspectBoxDto[] | undefined> {
    if (this.boxes.isEnabled || !prefersEmpty(request)) return this.boxes.list(actor);
    response.status(204);
    return undefined;
  }

  @Post('api/inspect')
  @Scope('inspect:create')
  @ApiOperation({ summary: 'Create an inspection URL that records requests' })
  @ApiCreatedResponse({ type: InspectBoxDto })
  create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateBoxDto) body: Unvalidated<CreateBoxDto>,
  ): Promise<InspectBoxDto> {
    return this.boxes.create(actor, body);
  }

  @Get('api/inspect/:box')
  @Scope('inspect:view')
  @ApiOperation({ summary: 'Get an inspection URL' })
  @ApiOkResponse({ type: InspectBoxDto })
  get(@CurrentActor() actor: Actor, @Param('box') box: string): Promise<InspectBoxDto> {
    return this.boxes.get(actor, box);
  }

  @Delete('api/inspect/:box')
  @HttpCode(204)
  @Scope('inspect:delete')
  @ApiOperation({ summary: 'Delete an inspection URL and its recorded requests' })
  @ApiNoContentResponse({ description: 'Deleted' })
  remove(@CurrentActor() actor: Actor, @Param('box') box: string): Promise<void> {
    return this.boxes.remove(actor, box);
  }

  @Post('inspect/:box')
  @HttpCode(200)
  @Public({ throttled: false })
  @Unversioned()
  @ApiExcludeEndpoint()
  async receive(@Param('box') box: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    await this.boxes.receive(box, request.headers, await readBody(request, response));
    response.setHeader('Content-Type', 'text/plain; charset=utf-8').end('kept');
  }

  /** The received requests, for programs. Browsers are redirected to the page of the app. */
  @Get('inspect/:box')
  @Public({ throttled: false })
  @Unversioned()
  @ApiExcludeEndpoint()
  async show(
    @MaybeActor() actor: Actor | null,
    @Param('box') box: string,
    @Query('format') format: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (format !== 'json' && request.accepts(['json', 'html']) === 'html') {
      response.redirect(`/webhooks/receivers/${encodeURIComponent(box)}`);
      return;
    }
    if (actor === null) throw new Unauthenticated();
    const arrivals = await this.boxes.arrivals(actor, box);
    response.setHeader('Cache-Control', 'no-store').setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(arrivals));
  }

  @Get('inspect/:box/live')
  @Scope('inspect:view')
  @Unversioned()
  @ApiExcludeEndpoint()
  async live(
    @CurrentActor() actor: Actor,
    @Param('box') box: string,
    @Query('after') after: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const given = Number(request.headers['last-event-id'] ?? after ?? 0);
    let last = Number.isSafeInteger(given) && given >= 0 ? given : 0;
    let arrivals = await this.boxes.arrivals(actor, box, last);
    const channel = this.channels.begin(actor, response);
    try {
      while (!channel.closed) {
        for (const arrival of arrivals) if (!channel.message(String(arrival.id), arrival)) await channel.drained();
        last = arrivals.at(-1)?.id ?? last;
        await pause(LOOK_MS);
        if (!channel.closed) arrivals = await this.boxes.arrivals(actor, box, last);
      }
    } catch {
      channel.break(); // the box is deleted or the database unavailable: a client that reconnects gets the error
    }
  }
}

/** @throws ApiError if the body is too large */
async function readBody(request: Request, response: Response): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BODY) {
      response.setHeader('Connection', 'close'); // the rest is not read, so the connection cannot be reused
      throw new ApiError(413, { detail: `The body is larger than ${MAX_BODY} bytes.` });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
