import { Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { ApiErrors } from '../../../core/http/errors/api-errors.js';
import { JsonBody, type Unvalidated } from '../../../core/http/body/body.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { sendStream } from '../../../core/http/response/send-stream.js';
import { Urls } from '../../../core/http/response/urls.js';
import { ApiList } from '../../../core/list/api-list.decorator.js';
import { type Page, pageDto, parameter } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { RequestIdDto } from '../../media/index.js';
import { type QualityProgress, QualityRequests } from '../computation/quality-requests.js';
import { OBJECT_KINDS, wordParameter } from '../quality-targets.js';
import { CreateQualityReportDto, documentHeader, QualityReportDto, qualityReportList } from './quality-report.dto.js';
import { QualityAnnotatorDto } from './report-annotators.js';
import { QualityReportService } from './quality-report.service.js';
import { documentStream } from '../../../engines/quality/document.js';

/** When asking for the state with `rq_id` was deprecated, in seconds. */
const DEPRECATED = '@1742169600';

@ApiTags('quality')
@Controller('api/quality/reports')
export class QualityReportController {
  constructor(
    private readonly reports: QualityReportService,
    private readonly requests: QualityRequests,
  ) {}

  @Get()
  @Scope('quality:list')
  @ApiOperation({ summary: 'List quality reports' })
  @ApiList(qualityReportList)
  @ApiQuery({ name: 'task_id', required: false, type: 'integer', description: 'Of the task and of its jobs' })
  @ApiQuery({ name: 'project_id', required: false, type: 'integer', description: 'Of the project, its tasks and jobs' })
  @ApiQuery({ name: 'parent_id', required: false, type: 'integer', description: 'The parts of this report' })
  @ApiQuery({ name: 'target', required: false, enum: OBJECT_KINDS })
  @ApiErrors(403, 404)
  @ApiOkResponse({ type: pageDto(QualityReportDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<QualityReportDto>> {
    return this.reports.list(actor, query);
  }

  @Post()
  @HttpCode(202)
  @Scope('quality:create')
  @ApiOperation({
    summary: 'Compute the quality of a task or project in the background',
    description: 'Follow the request with `GET /api/requests/{rq_id}`; its `result_id` is the id of the report.',
  })
  @ApiQuery({
    name: 'rq_id',
    required: false,
    deprecated: true,
    description: 'Returns the state of this request instead: 202 until it ends, then 201 with the report',
  })
  @ApiErrors(404, 409)
  @ApiAcceptedResponse({ type: RequestIdDto })
  async create(
    @CurrentActor() actor: Actor,
    @Query() query: Record<string, unknown>,
    @JsonBody(CreateQualityReportDto) body: Unvalidated<CreateQualityReportDto>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<QualityProgress['body']> {
    const asked = parameter(query, 'rq_id');
    if (asked === '') return { rq_id: await this.requests.start(actor, body) };
    response.setHeader('Deprecation', DEPRECATED);
    const progress = await this.requests.progress(actor, asked);
    response.status(progress.status);
    return progress.body;
  }

  @Get(':id')
  @Scope('quality:view')
  @ApiOperation({ summary: 'Get a quality report' })
  @ApiOkResponse({ type: QualityReportDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<QualityReportDto> {
    return this.reports.get(actor, id);
  }

  @Get(':id/annotators')
  @Scope('quality:view')
  @ApiOperation({
    summary: 'Get the numbers of a quality report by annotator',
    description:
      'An annotation counts for who made it, according to the history, and a missing one for who annotated the job. ' +
      'Lowest accuracy first.',
  })
  @ApiOkResponse({ type: [QualityAnnotatorDto] })
  annotators(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<QualityAnnotatorDto[]> {
    return this.reports.annotators(actor, id);
  }

  @Get(':id/data')
  @Scope('quality:view')
  @ApiOperation({
    summary: 'Get the document of a quality report',
    description: 'With the parameters, the confusion matrix, and the results and conflicts of each frame',
  })
  @ApiQuery({
    name: 'frames',
    required: false,
    enum: ['true', 'false'],
    description: '`false` leaves out the results and conflicts of frames',
  })
  @ApiErrors(400, 404)
  @ApiOkResponse({ content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } } })
  async data(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
    @Res() response: Response,
  ): Promise<void> {
    const row = await this.reports.document(actor, id);
    const frames = wordParameter(query, 'frames', ['true', 'false']) !== 'false';
    response.setHeader('Content-Type', 'application/json');
    const header = documentHeader(row, new Urls(actor.baseUrl));
    const taskUrl = `${actor.baseUrl}/tasks/${row.task_id}`;
    await sendStream(response, documentStream(header, row.document, { frames, taskUrl }));
  }
}
