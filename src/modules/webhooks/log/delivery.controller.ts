import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../../core/http/body/body.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { ApiList } from '../../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../../core/list/page-request.js';
import type { ApiVersion } from '../../../core/versioning/accept.js';
import { OlderRepresentations, RequestedVersion, RespondsWith } from '../../../core/versioning/version.guard.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { DeliveryService } from './delivery.service.js';
import {
  ExplanationDto,
  RedeliverDto,
  RedeliveriesDto,
  SampleDto,
  SendSampleDto,
  WebhookAttemptDto,
  WebhookDelivery20Dto,
  WebhookDelivery21Dto,
  WebhookDeliveryDto,
} from './delivery.dto.js';
import { RedeliveryService } from './redelivery.service.js';
import { deliveryList } from './delivery.repository.js';
import { SampleService } from './sample.service.js';
import { ExplanationService } from './explanation.service.js';

@ApiTags('webhooks')
@OlderRepresentations(WebhookDeliveryDto, { '2.0': WebhookDelivery20Dto, '2.1': WebhookDelivery21Dto })
@Controller('api/webhooks/:id')
export class DeliveryController {
  constructor(
    private readonly deliveries: DeliveryService,
    private readonly redeliveries: RedeliveryService,
    private readonly samples: SampleService,
  ) {}

  @Post('ping')
  @HttpCode(200)
  @Scope('webhook:ping')
  @RespondsWith('webhook_delivery')
  @ApiOperation({ summary: 'Send a ping and wait for the response' })
  @ApiOkResponse({
    type: WebhookDeliveryDto,
    description: 'The delivery, after the target responded or the attempt timed out',
  })
  ping(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<WebhookDeliveryDto> {
    return this.samples.ping(actor, id);
  }

  @Get('deliveries')
  @Scope('webhook:view')
  @RespondsWith('webhook_delivery')
  @ApiOperation({ summary: 'Deliveries of a webhook', description: 'Up to version 2.1 only those with an outcome.' })
  @ApiList(deliveryList)
  @ApiOkResponse({ type: pageDto(WebhookDeliveryDto) })
  list(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
    @RequestedVersion() version: ApiVersion,
  ): Promise<Page<WebhookDeliveryDto>> {
    return this.deliveries.list(actor, id, query, version);
  }

  @Get('deliveries/:delivery')
  @Scope('webhook:view')
  @RespondsWith('webhook_delivery')
  @ApiOperation({ summary: 'A delivery of a webhook' })
  @ApiOkResponse({ type: WebhookDeliveryDto })
  get(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Param('delivery', IdPipe) delivery: number,
    @RequestedVersion() version: ApiVersion,
  ): Promise<WebhookDeliveryDto> {
    return this.deliveries.get(actor, id, delivery, version);
  }

  @Get('deliveries/:delivery/attempts')
  @Scope('webhook:view')
  @ApiOperation({ summary: 'List the attempts of a delivery, with request, response and duration' })
  @ApiOkResponse({ type: [WebhookAttemptDto], description: 'Oldest first' })
  attempts(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Param('delivery', IdPipe) delivery: number,
  ): Promise<WebhookAttemptDto[]> {
    return this.deliveries.attempts(actor, id, delivery);
  }

  @Post('redeliveries')
  @HttpCode(202)
  @Scope('webhook:redelivery')
  @ApiOperation({ summary: 'Redeliver many deliveries: a selection, or the failed, missing or all ones since a time' })
  @ApiAcceptedResponse({ type: RedeliveriesDto, description: 'Queued; at most 1000 a request' })
  redeliverMany(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(RedeliverDto) body: Unvalidated<RedeliverDto>,
  ): Promise<RedeliveriesDto> {
    return this.redeliveries.redeliver(actor, id, body);
  }

  @Post('deliveries/:delivery/redelivery')
  @HttpCode(200)
  @Scope('webhook:redelivery')
  @ApiOperation({ summary: 'Redeliver a delivery' })
  @ApiOkResponse({
    schema: { type: 'object' },
    description: 'A new delivery with the same payload is queued. While the webhook is disabled, it stays pending.',
  })
  async redeliver(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Param('delivery', IdPipe) delivery: number,
  ): Promise<Record<string, never>> {
    await this.redeliveries.redeliverOne(actor, id, delivery);
    return {};
  }
}

/** Explains why a webhook fires or does not. */
@ApiTags('webhooks')
@Controller('api/webhooks/:id')
export class ExplanationController {
  constructor(
    private readonly explanations: ExplanationService,
    private readonly samples: SampleService,
  ) {}

  @Get('sample')
  @Scope('webhook:view')
  @ApiOperation({
    summary: 'Preview the payload of an event for the webhook: the newest stored event, otherwise a sample',
  })
  @ApiQuery({ name: 'event', schema: { type: 'string' }, example: 'update:job' })
  @ApiOkResponse({ type: SampleDto })
  sample(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query('event') event: unknown,
  ): Promise<SampleDto> {
    return this.samples.sample(actor, id, event);
  }

  @Post('sample')
  @HttpCode(200)
  @Scope('webhook:ping')
  @ApiOperation({ summary: 'Send a sample payload and wait for the response' })
  @ApiOkResponse({
    type: WebhookDeliveryDto,
    description: 'The delivery, after the target responded or the attempt timed out',
  })
  async send(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(SendSampleDto) body: Unvalidated<SendSampleDto>,
  ): Promise<WebhookDeliveryDto> {
    return this.samples.send(actor, id, body);
  }

  @Get('explain')
  @Scope('webhook:view')
  @ApiOperation({ summary: 'Explain step by step whether the webhook receives an event' })
  @ApiQuery({ name: 'event', schema: { type: 'string' }, example: 'update:job' })
  @ApiQuery({
    name: 'object',
    required: false,
    schema: { type: 'string' },
    description: 'Id of the object. Absent: any object',
  })
  @ApiOkResponse({ type: ExplanationDto })
  explain(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
  ): Promise<ExplanationDto> {
    return this.explanations.explain(actor, id, query);
  }
}
