import { Controller, Get, Param, Patch, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../../core/http/body/body.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import type { Actor } from '../../../shared/policy/actor.js';
import {
  CreationStatusDto,
  CreationStatusService,
  MediaMetaDto,
  UpdateMediaMetaDto,
  MediaMetaService,
} from './media-meta.service.js';
import { ApiMediaQuery, ApiPreview, sendMedia, sendPreview } from './media-http.js';
import { MediaReader } from './media-reader.js';

@ApiTags('tasks')
@Controller('api/tasks')
export class TaskMediaController {
  constructor(
    private readonly reader: MediaReader,
    private readonly metas: MediaMetaService,
    private readonly creation: CreationStatusService,
  ) {}

  /** With and without a trailing slash; the router removes one slash. */
  @Get([':id/data', ':id/data//'])
  @Scope('task:view:data')
  @ApiOperation({ summary: 'Get a chunk, a frame, context images or the preview of a task' })
  @ApiMediaQuery()
  async data(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Buffer | undefined> {
    return sendMedia(request, response, await this.reader.ofTask(actor, id, query));
  }

  @Get(':id/data/meta')
  @Scope('task:view:metadata')
  @ApiOperation({ summary: 'Get the frames of a task' })
  @ApiOkResponse({ type: MediaMetaDto })
  meta(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<MediaMetaDto> {
    return this.metas.ofTask(actor, id);
  }

  @Patch(':id/data/meta')
  @Scope('task:update:metadata')
  @ApiOperation({ summary: 'Set the deleted frames of a task' })
  @ApiOkResponse({ type: MediaMetaDto })
  updateMeta(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateMediaMetaDto) body: Unvalidated<UpdateMediaMetaDto>,
  ): Promise<MediaMetaDto> {
    return this.metas.updateTask(actor, id, body);
  }

  @Get(':id/preview')
  @Scope('task:view')
  @ApiOperation({ summary: 'Get the preview of a task' })
  @ApiPreview('The first frame')
  preview(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Buffer | undefined> {
    return sendPreview(request, response, this.reader.taskPreview(actor, id));
  }

  @Get(':id/status')
  @Scope('task:view')
  @ApiOperation({
    summary: "Get the status of a task's data",
    deprecated: true,
    description: 'Use `GET /api/requests/{id}` instead.',
  })
  @ApiQuery({ name: 'action', required: false, deprecated: true })
  @ApiOkResponse({ type: CreationStatusDto })
  status(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreationStatusDto> {
    response.setHeader('Deprecation', 'true');
    return this.creation.get(actor, id);
  }
}

@ApiTags('jobs')
@Controller('api/jobs')
export class JobMediaController {
  constructor(
    private readonly reader: MediaReader,
    private readonly metas: MediaMetaService,
  ) {}

  @Get(':id/data')
  @Scope('job:view:data')
  @ApiOperation({ summary: 'Get a chunk, a frame, context images or the preview of a job' })
  @ApiMediaQuery()
  @ApiQuery({
    name: 'index',
    required: false,
    type: 'integer',
    description: "Number of a chunk, counted from the job's first frame",
  })
  async data(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Buffer | undefined> {
    return sendMedia(request, response, await this.reader.ofJob(actor, id, query));
  }

  @Get(':id/data/meta')
  @Scope('job:view:metadata')
  @ApiOperation({ summary: 'Get the frames of a job' })
  @ApiOkResponse({ type: MediaMetaDto })
  meta(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<MediaMetaDto> {
    return this.metas.ofJob(actor, id);
  }

  @Patch(':id/data/meta')
  @Scope('job:update:metadata')
  @ApiOperation({ summary: 'Set the deleted frames of a job' })
  @ApiOkResponse({ type: MediaMetaDto })
  updateMeta(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateMediaMetaDto) body: Unvalidated<UpdateMediaMetaDto>,
  ): Promise<MediaMetaDto> {
    return this.metas.updateJob(actor, id, body);
  }

  @Get(':id/preview')
  @Scope('job:view')
  @ApiOperation({ summary: 'Get the preview of a job' })
  @ApiPreview("The job's first frame")
  preview(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Buffer | undefined> {
    return sendPreview(request, response, this.reader.jobPreview(actor, id));
  }
}

@ApiTags('projects')
@Controller('api/projects')
export class ProjectPreviewController {
  constructor(private readonly reader: MediaReader) {}

  @Get(':id/preview')
  @Scope('project:view')
  @ApiOperation({ summary: 'Get the preview of a project' })
  @ApiPreview('The first frame of the newest task that has frames')
  preview(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Buffer | undefined> {
    return sendPreview(request, response, this.reader.projectPreview(actor, id));
  }
}
