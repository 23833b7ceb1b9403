import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { ApiErrors } from '../../../core/http/errors/api-errors.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { sendCsv } from '../../../core/http/response/send-csv.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { wordParameter } from '../quality-targets.js';
import { ConfusionMatrixDto, ConfusionService, RequirementConfusionDto } from './confusion.js';

const FORMATS = ['json', 'csv'] as const;

@ApiTags('quality')
@Controller('api/quality/reports/:id/confusion')
export class ConfusionController {
  constructor(private readonly confusion: ConfusionService) {}

  @Get()
  @Scope('quality:view')
  @ApiOperation({ summary: 'Get the confusion matrices of a quality report', description: 'One for each requirement' })
  @ApiOkResponse({ type: [RequirementConfusionDto] })
  list(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<RequirementConfusionDto[]> {
    return this.confusion.list(actor, id);
  }

  @Get('matrix')
  @Scope('quality:view')
  @ApiOperation({ summary: 'Get the confusion matrix of a requirement in a quality report' })
  @ApiQuery({ name: 'requirement', type: 'integer', description: 'Id of the requirement' })
  @ApiQuery({ name: 'format', required: false, enum: FORMATS, description: 'Default: json' })
  @ApiErrors(400, 404)
  @ApiOkResponse({ type: ConfusionMatrixDto })
  async matrix(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConfusionMatrixDto | undefined> {
    const format = wordParameter(query, 'format', FORMATS);
    const matrix = await this.confusion.matrix(actor, id, query);
    if (format !== 'csv') return matrix;
    await sendCsv(response, `quality-report-${id}-confusion.csv`, this.confusion.csv(matrix));
    return undefined;
  }
}
