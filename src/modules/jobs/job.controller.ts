import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { ApiErrorsOfMany } from '../../core/http/api-errors.js';
import { JsonBody, type Unvalidated } from '../../core/http/body.js';
import { IdPipe } from '../../core/http/id.pipe.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page.dto.js';
import { Answers, DeprecatedSince, OlderForms } from '../../core/versioning/version.interceptor.js';
import type { Actor } from '../../shared/policy/actor.js';
import { GroundTruthService } from './ground-truth.service.js';
import { ChangedJobsDto, CreateJobDto, JobDto, MAX_BULK, UpdateJobDto, UpdateJobsDto } from './job.dto.js';
import { jobList } from './job.list.js';
import { JobQueries } from './job.queries.js';
import { JobService } from './job.service.js';
import { Job20Dto } from './job.v20.dto.js';

@ApiTags('jobs')
@OlderForms(JobDto, { '2.0': Job20Dto })
@Controller('api')
export class JobController {
  constructor(
    @Inject(JobQueries) private readonly queries: JobQueries,
    @Inject(JobService) private readonly jobs: JobService,
    @Inject(GroundTruthService) private readonly groundTruth: GroundTruthService,
  ) {}

  @Get('jobs')
  @Scope('job:list')
  @Answers('job')
  @ApiList(jobList)
  @ApiOkResponse({ type: pageDto(JobDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<JobDto>> {
    return this.queries.list(actor, query);
  }

  @Get('tasks/:id/jobs')
  @DeprecatedSince('2.1')
  @Scope('task:view')
  @Answers('job')
  @ApiOperation({ summary: 'Jobs of a task', deprecated: true, description: 'Use /api/jobs?task_id=' })
  @ApiList(jobList)
  @ApiOkResponse({ type: pageDto(JobDto) })
  ofTask(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
  ): Promise<Page<JobDto>> {
    return this.queries.ofTask(actor, id, query);
  }

  @Post('jobs')
  @Scope('job:create')
  @Answers('job')
  @ApiCreatedResponse({ type: JobDto })
  async create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateJobDto) body: Unvalidated<CreateJobDto>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JobDto> {
    const job = await this.groundTruth.create(actor, body);
    response.setHeader('Location', job.url);
    return job;
  }

  @Patch('jobs')
  @Scope('job:update')
  @Answers('job')
  @ApiOperation({
    summary: `Give up to ${MAX_BULK} jobs the same assignee, stage or state: all of them or none`,
    description: 'Each job is changed and told as by its own address. A refusal (403, 404) names the jobs in `ids`.',
  })
  @ApiErrorsOfMany(403, 404)
  @ApiOkResponse({ type: ChangedJobsDto })
  updateAll(
    @CurrentActor() actor: Actor,
    @JsonBody(UpdateJobsDto) body: Unvalidated<UpdateJobsDto>,
  ): Promise<ChangedJobsDto> {
    return this.jobs.updateAll(actor, body);
  }

  @Get('jobs/:id')
  @Scope('job:view')
  @Answers('job')
  @ApiOkResponse({ type: JobDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<JobDto> {
    return this.queries.get(actor, id);
  }

  @Patch('jobs/:id')
  @Scope('job:update')
  @Answers('job')
  @ApiOkResponse({ type: JobDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateJobDto) body: Unvalidated<UpdateJobDto>,
  ): Promise<JobDto> {
    return this.jobs.update(actor, id, body);
  }

  @Delete('jobs/:id')
  @HttpCode(204)
  @Scope('job:delete')
  @ApiNoContentResponse({ description: 'Gone; only ground truth jobs can be deleted' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.groundTruth.delete(actor, id);
  }
}
