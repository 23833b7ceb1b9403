import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Patch,
  Put,
  Query,
  Req,
  Res,
  type Type,
} from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { LazyJsonBody, type ReadJson } from '../../core/http/body.js';
import { ApiTextErrors, type ErrorStatus } from '../../core/http/api-errors.js';
import { IdPipe } from '../../core/http/id.pipe.js';
import { slashed } from '../../core/http/trailing-slash.js';
import type { Actor } from '../../shared/policy/actor.js';
import type { Target } from './annotated-task.repository.js';
import { ACTION_PARAMETER, LabeledDataDto, VIEW_PARAMETERS } from './annotation.dto.js';
import { AnnotationEndpoint } from './annotation.endpoint.js';

const PATHS = [':id/annotations', slashed(':id/annotations')];

/** What the document says of a reading, and the texts it may be refused with. */
interface Reading {
  readonly summary: string;
  readonly description: string;
  readonly errors: readonly ErrorStatus[];
}

/** The routes of the annotations of jobs, or of tasks: of all their jobs together. */
function annotationController(kind: Target['kind'], name: string, of: Reading): Type {
  @ApiTags(`${kind}s`)
  @Controller(`api/${kind}s`)
  class AnnotationController {
    constructor(@Inject(AnnotationEndpoint) private readonly endpoint: AnnotationEndpoint) {}

    @Get(PATHS)
    @ApiTextErrors(...of.errors)
    @Scope(`${kind}:view:annotations`)
    @ApiQuery(VIEW_PARAMETERS.interpolated)
    @ApiQuery(VIEW_PARAMETERS.start)
    @ApiQuery(VIEW_PARAMETERS.stop)
    @ApiOperation({ summary: of.summary })
    @ApiOkResponse({ type: LabeledDataDto, description: of.description })
    read(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() query: Record<string, unknown>,
      @Req() request: Request,
      @Res() response: Response,
    ): Promise<void> {
      return this.endpoint.read(actor, { kind, id }, query, request, response);
    }

    @Put(PATHS)
    @ApiTextErrors(410)
    @Scope(`${kind}:update:annotations`)
    @ApiOperation({ summary: `Replace all annotations of a ${kind}` })
    @ApiBody({ type: LabeledDataDto, description: 'Replaces everything; ids must be absent' })
    @ApiOkResponse({ type: LabeledDataDto, description: 'What was saved, with ids, in the order sent' })
    replace(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() query: Record<string, unknown>,
      @LazyJsonBody({ limit: 'annotations' }) body: ReadJson,
      @Res() response: Response,
    ): Promise<void> {
      return this.endpoint.replace(actor, { kind, id }, query, body, response);
    }

    @Patch(PATHS)
    @Scope(`${kind}:update:annotations`)
    @ApiOperation({ summary: `Create, update or delete some annotations of a ${kind}` })
    @ApiQuery(ACTION_PARAMETER)
    @ApiBody({ type: LabeledDataDto })
    @ApiOkResponse({ type: LabeledDataDto, description: 'What was created, updated or deleted' })
    change(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() query: Record<string, unknown>,
      @LazyJsonBody({ limit: 'annotations' }) body: ReadJson,
      @Res() response: Response,
    ): Promise<void> {
      return this.endpoint.change(actor, { kind, id }, query, body, response);
    }

    @Delete(PATHS)
    @HttpCode(204)
    @Scope(`${kind}:update:annotations`)
    @ApiOperation({ summary: `Delete all annotations of a ${kind}` })
    @ApiNoContentResponse({ description: 'All annotations are gone' })
    clear(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Res({ passthrough: true }) response: Response,
    ): Promise<void> {
      return this.endpoint.clear(actor, { kind, id }, response);
    }
  }
  Object.defineProperty(AnnotationController, 'name', { value: name });
  return AnnotationController;
}

export const JobAnnotationController = annotationController('job', 'JobAnnotationController', {
  summary: 'Annotations of a job',
  description: 'All annotations of the job',
  errors: [410],
});
export const TaskAnnotationController = annotationController('task', 'TaskAnnotationController', {
  summary: 'Annotations of all jobs of a task',
  description: 'Those of all jobs; what two jobs have alike on shared frames appears once',
  errors: [400, 410],
});
