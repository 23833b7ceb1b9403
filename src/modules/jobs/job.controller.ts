import { Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { ApiErrorsOfMany } from '../../core/http/errors/api-errors.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { IdPipe } from '../../core/http/request/ids.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page-request.js';
import { DeprecatedSince, OlderRepresentations, RespondsWith } from '../../core/versioning/version.guard.js';
import type { Actor } from '../../shared/policy/actor.js';
import { ChangedJobsDto, JobDto, MAX_BULK, UpdateJobDto, UpdateJobsDto } from './job.dto.js';
import { jobList } from './job.list.js';
import { JobService } from './job.service.js';
import { JobUpdate } from './job.update.js';
import { Job20Dto } from './job.versions.js';

@ApiTags('jobs')
@OlderRepresentations(JobDto, { '2.0': Job20Dto })
@Controller('api')
export class JobController {
  constructor(
    private readonly jobs: JobService,
    private readonly changes: JobUpdate,
  ) {}

  @Get('jobs')
  @Scope('job:list')
  @RespondsWith('job')
  @ApiList(jobList)
  @ApiOkResponse({ type: pageDto(JobDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<JobDto>> {
    return this.jobs.list(actor, query);
  }

  @Get('tasks/:id/jobs')
  @DeprecatedSince('2.1')
  @Scope('task:view')
  @RespondsWith('job')
  @ApiOperation({ summary: 'Jobs of a task', deprecated: true, description: 'Use /api/jobs?task_id= instead' })
  @ApiList(jobList)
  @ApiOkResponse({ type: pageDto(JobDto) })
  ofTask(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
  ): Promise<Page<JobDto>> {
    return this.jobs.ofTask(actor, id, query);
  }

  @Patch('jobs')
  @Scope('job:update')
  @RespondsWith('job')
  @ApiOperation({
    summary: `Set the assignee, stage or state of up to ${MAX_BULK} jobs in one transaction`,
    description:
      'Each changed job has its own `update:job` event. A 403 or 404 response lists the jobs concerned in `ids`.',
  })
  @ApiErrorsOfMany(403, 404)
  @ApiOkResponse({ type: ChangedJobsDto })
  updateAll(
    @CurrentActor() actor: Actor,
    @JsonBody(UpdateJobsDto) body: Unvalidated<UpdateJobsDto>,
  ): Promise<ChangedJobsDto> {
    return this.changes.updateAll(actor, body);
  }

  @Get('jobs/:id')
  @Scope('job:view')
  @RespondsWith('job')
  @ApiOkResponse({ type: JobDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<JobDto> {
    return this.jobs.get(actor, id);
  }

  @Patch('jobs/:id')
  @Scope('job:update')
  @RespondsWith('job')
  @ApiOkResponse({ type: JobDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateJobDto) body: Unvalidated<UpdateJobDto>,
  ): Promise<JobDto> {
    return this.changes.update(actor, id, body);
  }
}
