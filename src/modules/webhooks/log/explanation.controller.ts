import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../../core/http/body.js';
import { IdPipe } from '../../../core/http/id.pipe.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { ExplanationDto, SampleDto, SendSampleDto } from './explanation.dto.js';
import { WebhookDeliveryDto } from './delivery.dto.js';
import { SampleService } from './sample.service.js';
import { ExplanationService } from './explanation.service.js';

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
  @ApiOperation({ summary: 'What the webhook would get for an event: the newest one that is kept, else a made-up one' })
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
  @ApiOperation({ summary: 'Send such a sample and wait for the answer' })
  @ApiOkResponse({ type: WebhookDeliveryDto, description: 'After the target has answered, or has not in time' })
  async send(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(SendSampleDto) body: Unvalidated<SendSampleDto>,
  ): Promise<WebhookDeliveryDto> {
    return this.samples.send(actor, id, body);
  }

  @Get('explain')
  @Scope('webhook:view')
  @ApiOperation({ summary: 'Why the webhook would or would not fire for an event, step by step' })
  @ApiQuery({ name: 'event', schema: { type: 'string' }, example: 'update:job' })
  @ApiQuery({
    name: 'object',
    required: false,
    schema: { type: 'string' },
    description: 'Id of the object; absent: any',
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
