import { Controller, Get, Param, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body.js';
import { IdPipe } from '../../core/http/id.pipe.js';
import type { Actor } from '../../shared/policy/actor.js';
import {
  JobValidationLayoutDto,
  TaskValidationLayoutDto,
  UpdateJobValidationLayoutDto,
  UpdateTaskValidationLayoutDto,
} from './validation-layout.dto.js';
import { ValidationLayoutService } from './validation-layout.service.js';

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
