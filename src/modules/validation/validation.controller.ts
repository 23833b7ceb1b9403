import { Controller, Get, Param, Patch, Delete, HttpCode, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, ApiCreatedResponse, ApiNoContentResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { IdPipe } from '../../core/http/request/ids.js';
import type { Actor } from '../../shared/policy/actor.js';
import { RespondsWith, OlderRepresentations } from '../../core/versioning/version.guard.js';
import { Job20Dto, JobDto } from '../jobs/index.js';
import {
  JobValidationLayoutDto,
  TaskValidationLayoutDto,
  UpdateJobValidationLayoutDto,
  UpdateTaskValidationLayoutDto,
  CreateJobDto,
} from './validation.dto.js';
import { ValidationLayoutService } from './validation-layout.service.js';
import { GroundTruthCreation, GroundTruthDeletion } from './ground-truth.service.js';

/** Ground truth jobs are the only jobs that clients create and delete. */
@ApiTags('jobs')
@OlderRepresentations(JobDto, { '2.0': Job20Dto })
@Controller('api/jobs')
export class GroundTruthController {
  constructor(
    private readonly creation: GroundTruthCreation,
    private readonly deletion: GroundTruthDeletion,
  ) {}

  @Post()
  @Scope('job:create')
  @RespondsWith('job')
  @ApiCreatedResponse({ type: JobDto })
  async create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateJobDto) body: Unvalidated<CreateJobDto>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JobDto> {
    const job = await this.creation.create(actor, body);
    response.setHeader('Location', job.url);
    return job;
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('job:delete')
  @ApiNoContentResponse({ description: 'Deleted. Only ground truth jobs can be deleted.' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.deletion.delete(actor, id);
  }
}

@Controller('api')
export class ValidationLayoutController {
  constructor(private readonly layouts: ValidationLayoutService) {}

  @Get('tasks/:id/validation_layout')
  @Scope('task:view:validation_layout')
  @ApiTags('tasks')
  @ApiOperation({ summary: 'Get the validation frames of a task' })
  @ApiOkResponse({ type: TaskValidationLayoutDto })
  ofTask(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<TaskValidationLayoutDto> {
    return this.layouts.ofTask(actor, id);
  }

  @Patch('tasks/:id/validation_layout')
  @Scope('task:update:validation_layout')
  @ApiTags('tasks')
  @ApiOperation({ summary: 'Change the validation frames of a task' })
  @ApiOkResponse({ type: TaskValidationLayoutDto })
  updateTask(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateTaskValidationLayoutDto) body: Unvalidated<UpdateTaskValidationLayoutDto>,
  ): Promise<TaskValidationLayoutDto> {
    return this.layouts.updateTask(actor, id, body);
  }

  @Get('jobs/:id/validation_layout')
  @Scope('job:view:validation_layout')
  @ApiTags('jobs')
  @ApiOperation({ summary: 'Get the honeypots of a job' })
  @ApiOkResponse({ type: JobValidationLayoutDto })
  ofJob(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<JobValidationLayoutDto> {
    return this.layouts.ofJob(actor, id);
  }

  @Patch('jobs/:id/validation_layout')
  @Scope('job:update:validation_layout')
  @ApiTags('jobs')
  @ApiOperation({ summary: 'Change the honeypots of a job' })
  @ApiOkResponse({ type: JobValidationLayoutDto })
  updateJob(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateJobValidationLayoutDto) body: Unvalidated<UpdateJobValidationLayoutDto>,
  ): Promise<JobValidationLayoutDto> {
    return this.layouts.updateJob(actor, id, body);
  }
}
