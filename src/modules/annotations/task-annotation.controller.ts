import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { RawJsonBody } from '../../core/http/body.js';
import { ApiTextErrors } from '../../core/http/api-errors.js';
import { IdPipe } from '../../core/http/id.pipe.js';
import { slashed } from '../../core/http/trailing-slash.js';
import type { Actor } from '../../policy/actor.js';
import { ACTION_PARAMETER, LabeledDataDto, VIEW_PARAMETERS } from './annotation.dto.js';
import { AnnotationEndpoint } from './annotation.endpoint.js';

const PATHS = [':id/annotations', slashed(':id/annotations')];

/** Annotations of a task: of all its jobs together. */
@ApiTags('tasks')
@Controller('api/tasks')
export class TaskAnnotationController {
  constructor(@Inject(AnnotationEndpoint) private readonly endpoint: AnnotationEndpoint) {}

  @Get(PATHS)
  @ApiTextErrors(400, 410)
  @Scope('task:view:annotations')
  @ApiQuery(VIEW_PARAMETERS.interpolated)
  @ApiQuery(VIEW_PARAMETERS.start)
  @ApiQuery(VIEW_PARAMETERS.stop)
  @ApiOperation({ summary: 'Annotations of all jobs of a task' })
  @ApiOkResponse({
    type: LabeledDataDto,
    description: 'Those of all jobs; what two jobs have alike on shared frames appears once',
  })
  read(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.endpoint.read(actor, { kind: 'task', id }, query, request, response);
  }

  @Put(PATHS)
  @ApiTextErrors(410)
  @Scope('task:update:annotations')
  @ApiOperation({ summary: 'Replace all annotations of a task' })
  @ApiBody({ type: LabeledDataDto, description: 'Replaces everything; ids must be absent' })
  @ApiOkResponse({ type: LabeledDataDto, description: 'What was saved, with ids, in the order sent' })
  replace(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
    @RawJsonBody({ limit: 'annotations' }) body: unknown,
    @Res() response: Response,
  ): Promise<void> {
    return this.endpoint.replace(actor, { kind: 'task', id }, query, body, response);
  }

  @Patch(PATHS)
  @Scope('task:update:annotations')
  @ApiOperation({ summary: 'Create, update or delete some annotations of a task' })
  @ApiQuery(ACTION_PARAMETER)
  @ApiBody({ type: LabeledDataDto })
  @ApiOkResponse({ type: LabeledDataDto, description: 'What was created, updated or deleted' })
  change(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
    @RawJsonBody({ limit: 'annotations' }) body: unknown,
    @Res() response: Response,
  ): Promise<void> {
    return this.endpoint.change(actor, { kind: 'task', id }, query, body, response);
  }

  @Delete(PATHS)
  @HttpCode(204)
  @Scope('task:update:annotations')
  @ApiOperation({ summary: 'Delete all annotations of a task' })
  @ApiNoContentResponse({ description: 'All annotations are gone' })
  clear(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    return this.endpoint.clear(actor, { kind: 'task', id }, response);
  }
}
