import { Controller, Delete, Get, HttpCode, Param, Patch, Put, Query, Req, Res, type Type } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { LazyJsonBody, type ReadJson } from '../../core/http/body/body.js';
import { namesEtag } from '../../core/http/conditional/preconditions.js';
import { streamJson } from '../../core/http/response/stream-json.js';
import { ApiTextErrors, type ErrorStatus } from '../../core/http/errors/api-errors.js';
import { IdPipe } from '../../core/http/request/ids.js';
import { slashed } from '../../core/http/request/trailing-slash.js';
import type { Actor } from '../../shared/policy/actor.js';
import type { Target } from './annotated-task.repository.js';
import {
  ACTION_PARAMETER,
  type AnnotationView,
  LabeledDataDto,
  readAction,
  readView,
  refuseExport,
  refuseImportStatus,
  VIEW_PARAMETERS,
} from './annotation.dto.js';
import { AnnotationReader } from './annotation.reader.js';
import { AnnotationService, type SavedAnnotations } from './annotation.service.js';

const PATHS = [':id/annotations', slashed(':id/annotations')];

/** How the API document describes the read. `errors` are the statuses whose body is plain text. */
interface Reading {
  readonly summary: string;
  readonly description: string;
  readonly errors: readonly ErrorStatus[];
}

/**
 * Routes for the annotations of jobs, or of tasks (all jobs of the task together). Permission is checked before the
 * query and the body.
 */
function annotationController(kind: Target['kind'], name: string, of: Reading): Type {
  @ApiTags(`${kind}s`)
  @Controller(`api/${kind}s`)
  class AnnotationController {
    constructor(
      private readonly reader: AnnotationReader,
      private readonly annotations: AnnotationService,
    ) {}

    @Get(PATHS)
    @ApiTextErrors(...of.errors)
    @Scope(`${kind}:view:annotations`)
    @ApiQuery(VIEW_PARAMETERS.interpolated)
    @ApiQuery(VIEW_PARAMETERS.start)
    @ApiQuery(VIEW_PARAMETERS.stop)
    @ApiOperation({ summary: of.summary })
    @ApiOkResponse({ type: LabeledDataDto, description: of.description })
    async read(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() query: Record<string, unknown>,
      @Req() request: Request,
      @Res() response: Response,
    ): Promise<void> {
      const target = { kind, id };
      await this.reader.require(actor, target, 'view:annotations');
      refuseExport(query, target);
      await sendAnnotations(this.reader, target, readView(query), request, response);
    }

    @Put(PATHS)
    @ApiTextErrors(410)
    @Scope(`${kind}:update:annotations`)
    @ApiOperation({ summary: `Replace all annotations of a ${kind}` })
    @ApiBody({ type: LabeledDataDto, description: 'Replaces everything; ids must be absent' })
    @ApiOkResponse({ type: LabeledDataDto, description: 'What was saved, with ids, in the order sent' })
    async replace(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() query: Record<string, unknown>,
      @LazyJsonBody({ limit: 'annotations' }) body: ReadJson,
      @Res() response: Response,
    ): Promise<void> {
      const target = { kind, id };
      await this.reader.require(actor, target, 'update:annotations');
      refuseImportStatus(query);
      await sendSaved(response, await this.annotations.save(actor, target, 'replace', body));
    }

    @Patch(PATHS)
    @Scope(`${kind}:update:annotations`)
    @ApiOperation({ summary: `Create, update or delete some annotations of a ${kind}` })
    @ApiQuery(ACTION_PARAMETER)
    @ApiBody({ type: LabeledDataDto })
    @ApiOkResponse({ type: LabeledDataDto, description: 'What was created, updated or deleted' })
    async change(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() query: Record<string, unknown>,
      @LazyJsonBody({ limit: 'annotations' }) body: ReadJson,
      @Res() response: Response,
    ): Promise<void> {
      const target = { kind, id };
      await this.reader.require(actor, target, 'update:annotations');
      await sendSaved(response, await this.annotations.save(actor, target, readAction(query), body));
    }

    @Delete(PATHS)
    @HttpCode(204)
    @Scope(`${kind}:update:annotations`)
    @ApiOperation({ summary: `Delete all annotations of a ${kind}` })
    @ApiNoContentResponse({ description: 'All annotations are deleted' })
    async clear(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Res({ passthrough: true }) response: Response,
    ): Promise<void> {
      const target = { kind, id };
      await this.reader.require(actor, target, 'update:annotations');
      response.setHeader('ETag', await this.annotations.clear(actor, target));
    }
  }
  Object.defineProperty(AnnotationController, 'name', { value: name });
  return AnnotationController;
}

export const JobAnnotationController = annotationController('job', 'JobAnnotationController', {
  summary: 'Get the annotations of a job',
  description: 'All annotations of the job',
  errors: [410],
});
export const TaskAnnotationController = annotationController('task', 'TaskAnnotationController', {
  summary: 'Get the annotations of all jobs of a task',
  description: 'The annotations of all jobs. Duplicates on frames that two jobs share appear once.',
  errors: [400, 410],
});

/** Sends annotations as JSON, or 304 if the client already has this state. The caller has checked the permission. */
export async function sendAnnotations(
  reader: AnnotationReader,
  target: Target,
  view: AnnotationView,
  request: Request,
  response: Response,
): Promise<void> {
  const isKnown = (etag: string): boolean => {
    response.setHeader('ETag', etag);
    const header = request.headers['if-none-match'];
    if (header === undefined || !namesEtag(header, etag)) return false;
    response.status(304).end();
    return true;
  };
  await streamJson(response, (write) => reader.read(target, view, isKnown, write));
}

const sendSaved = (response: Response, saved: SavedAnnotations): Promise<void> =>
  streamJson(response, async (write) => {
    response.setHeader('ETag', saved.etag);
    for (const chunk of saved.json) await write(chunk);
  });
