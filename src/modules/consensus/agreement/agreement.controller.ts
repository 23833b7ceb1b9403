import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { sendCsv } from '../../../core/http/response/send-csv.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { RequestIdDto } from '../../media/index.js';
import { AgreementDto } from './agreement.dto.js';
import { AgreementService } from './agreement.service.js';

@ApiTags('consensus')
@Controller('api/tasks/:id/agreement')
export class AgreementController {
  constructor(private readonly agreement: AgreementService) {}

  @Get()
  @Scope('task:view:agreement')
  @ApiOperation({
    summary: 'Get how far the annotators of a task’s replicas agree',
    description: 'As last calculated: in the whole task, by job, by label, and by pair of annotators.',
  })
  @ApiOkResponse({ type: AgreementDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<AgreementDto> {
    return this.agreement.get(actor, id);
  }

  @Get('csv')
  @Scope('task:view:agreement')
  @ApiOperation({ summary: 'Download how far the annotators of a task’s replicas agree' })
  @ApiOkResponse({ description: 'CSV', content: { 'text/csv': { schema: { type: 'string' } } } })
  csv(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number, @Res() response: Response): Promise<void> {
    return sendCsv(response, `agreement-of-task-${id}.csv`, this.agreement.csv(actor, id));
  }

  @Post()
  @HttpCode(202)
  @Scope('task:view:agreement')
  @ApiOperation({
    summary: 'Calculate how far the annotators of a task’s replicas agree',
    description: 'Compares all replicas that are not new. Replaces the previous result.',
  })
  @ApiAcceptedResponse({ type: RequestIdDto, description: 'The calculation is queued; see GET /api/requests/{id}' })
  async calculate(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<RequestIdDto> {
    return { rq_id: await this.agreement.calculate(actor, id) };
  }
}
