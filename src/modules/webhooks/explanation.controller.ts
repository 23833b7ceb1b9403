import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { ApiErrors } from '../../core/http/api-errors.js';
import { IdPipe } from '../../core/http/id.pipe.js';
import type { Actor } from '../../policy/actor.js';
import { ExplanationDto } from './dto/explanation.dto.js';
import { ExplanationService } from './explanation.service.js';

/** Finding out what a webhook does. */
@ApiTags('webhooks')
@Controller('api/webhooks/:id')
export class ExplanationController {
  constructor(@Inject(ExplanationService) private readonly explanations: ExplanationService) {}

  @Get('explain')
  @Scope('webhook:view')
  @ApiOperation({ summary: 'Why the webhook would or would not fire for an event, step by step' })
  @ApiErrors(400)
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
