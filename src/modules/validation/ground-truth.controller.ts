import { Controller, Delete, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body.js';
import { IdPipe } from '../../core/http/id.pipe.js';
import { Answers, OlderForms } from '../../core/versioning/version.interceptor.js';
import type { Actor } from '../../shared/policy/actor.js';
import { Job20Dto, JobDto } from '../jobs/index.js';
import { CreateJobDto } from './ground-truth.dto.js';
import { GroundTruthService } from './ground-truth.service.js';

/** Ground truth jobs are the only jobs that clients create and delete. */
@ApiTags('jobs')
@OlderForms(JobDto, { '2.0': Job20Dto })
@Controller('api/jobs')
export class GroundTruthController {
  constructor(private readonly groundTruth: GroundTruthService) {}

  @Post()
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

  @Delete(':id')
  @HttpCode(204)
  @Scope('job:delete')
  @ApiNoContentResponse({ description: 'Deleted. Only ground truth jobs can be deleted.' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.groundTruth.delete(actor, id);
  }
}
