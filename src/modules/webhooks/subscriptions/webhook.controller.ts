import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Public, Scope } from '../../../core/access/scope.decorator.js';
import { ApiErrors } from '../../../core/http/errors/api-errors.js';
import { JsonBody, type Unvalidated } from '../../../core/http/body/body.js';
import { InvalidString } from '../../../core/http/errors/errors.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { ApiList } from '../../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../../core/list/page-request.js';
import { API_VERSIONS } from '../../../core/versioning/accept.js';
import { OlderRepresentations, RespondsWith } from '../../../core/versioning/version.guard.js';
import type { Actor } from '../../../shared/policy/actor.js';
import {
  CreateWebhookDto,
  ReplaceWebhookDto,
  UpdateWebhookDto,
  Webhook20Dto,
  Webhook21Dto,
  WebhookDto,
  WebhookEvents20Dto,
  WebhookEvents21Dto,
  WebhookEventsDto,
  WebhookSecretDto,
} from './webhook.dto.js';
import { SampleService } from '../log/sample.service.js';
import { WebhookCreation } from './webhook.create.js';
import { webhookList } from './webhook.repository.js';
import { WebhookService } from './webhook.service.js';
import { type CatalogueEvent, EVENTS } from '../../../core/events/event-declaration.js';
import { canReceive, groupOf, isListed, WEBHOOK_TYPES, type WebhookType } from '../event-catalogue.js';

/** Values of the `type` query parameter: a type of webhook, or all. */
export const EVENT_LISTS = ['all', ...WEBHOOK_TYPES] as const;

/** Lists the events that webhooks of a type can subscribe to. CVAT has no server webhooks, so these need only one list. */
export function listOfEvents(type: WebhookType | 'all'): WebhookEventsDto {
  const receivable = EVENTS.filter((event) => type === 'all' || canReceive(type, event.name));
  const isListedSeparately = (event: CatalogueEvent): boolean => type !== 'server' && !isListed(event);
  const listed = (event: CatalogueEvent) => ({ key: event.name, group: { display_name: groupOf(event) } });
  return {
    webhook_type: type,
    events: receivable.filter((event) => !isListedSeparately(event)).map(listed),
    newer_events: receivable.filter(isListedSeparately).map(listed),
  };
}

@ApiTags('webhooks')
@OlderRepresentations(WebhookDto, { '2.0': Webhook20Dto, '2.1': Webhook21Dto })
@Controller('api/webhooks')
export class WebhookController {
  constructor(
    private readonly webhooks: WebhookService,
    private readonly creation: WebhookCreation,
    private readonly samples: SampleService,
  ) {}

  @Get()
  @Scope('webhook:list')
  @RespondsWith('webhook')
  @ApiList(webhookList)
  @ApiOkResponse({ type: pageDto(WebhookDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<WebhookDto>> {
    return this.webhooks.list(actor, query);
  }

  @Post()
  @Scope('webhook:create')
  @RespondsWith('webhook')
  @ApiCreatedResponse({ type: WebhookDto })
  async create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateWebhookDto) body: Unvalidated<CreateWebhookDto>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookDto> {
    const webhook = await this.creation.create(actor, body);
    response.setHeader('Location', webhook.url);
    return webhook;
  }

  @Get('events')
  @Public()
  @RespondsWith('webhook_events')
  @OlderRepresentations(WebhookEventsDto, { '2.0': WebhookEvents20Dto, '2.1': WebhookEvents21Dto })
  @ApiOperation({ summary: 'List the events that webhooks can subscribe to' })
  @ApiErrors(400)
  @ApiQuery({ name: 'type', required: false, enum: EVENT_LISTS })
  @ApiOkResponse({
    type: WebhookEventsDto,
    description: 'The events that webhooks of a type can subscribe to',
  })
  events(@Query('type') type: unknown = 'all'): WebhookEventsDto {
    const known = EVENT_LISTS.find((other) => other === type);
    if (known === undefined) throw new InvalidString('Incorrect value of type parameter');
    return listOfEvents(known);
  }

  @Get('events/sample')
  @Public()
  @ApiOperation({ summary: 'Get a sample payload of an event' })
  @ApiErrors(400)
  @ApiQuery({ name: 'event', schema: { type: 'string' }, example: 'update:job' })
  @ApiQuery({
    name: 'version',
    required: false,
    enum: API_VERSIONS,
    description: 'API version of the object; default: the newest',
  })
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true }, description: 'The payload' })
  sample(@Query() query: Record<string, unknown>): object {
    return this.samples.anySample(query);
  }

  @Get(':id')
  @Scope('webhook:view')
  @RespondsWith('webhook')
  @ApiOkResponse({ type: WebhookDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<WebhookDto> {
    return this.webhooks.get(actor, id);
  }

  @Put(':id')
  @Scope('webhook:update')
  @RespondsWith('webhook')
  @ApiOkResponse({ type: WebhookDto, description: 'Absent fields keep their values' })
  replace(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(ReplaceWebhookDto) body: Unvalidated<ReplaceWebhookDto>,
  ): Promise<WebhookDto> {
    return this.webhooks.update(actor, id, body);
  }

  @Patch(':id')
  @Scope('webhook:update')
  @RespondsWith('webhook')
  @ApiOkResponse({ type: WebhookDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateWebhookDto) body: Unvalidated<UpdateWebhookDto>,
  ): Promise<WebhookDto> {
    return this.webhooks.update(actor, id, body);
  }

  @Post(':id/secret')
  @HttpCode(200)
  @Scope('webhook:update')
  @ApiOperation({ summary: 'Rotate the secret. The previous one stays valid for 24 hours.' })
  @ApiOkResponse({ type: WebhookSecretDto, description: 'The new secret. Only this response contains it.' })
  rotateSecret(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<WebhookSecretDto> {
    return this.webhooks.rotateSecret(actor, id);
  }

  @Post(':id/resume')
  @HttpCode(200)
  @Scope('webhook:update')
  @RespondsWith('webhook')
  @ApiOperation({ summary: 'Resume a paused webhook, or enable a disabled one' })
  @ApiOkResponse({ type: WebhookDto })
  resume(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<WebhookDto> {
    return this.webhooks.resume(actor, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('webhook:delete')
  @ApiNoContentResponse({ description: 'Deleted, with its deliveries' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.webhooks.delete(actor, id);
  }
}
