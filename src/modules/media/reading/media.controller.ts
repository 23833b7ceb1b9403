import { applyDecorators, Controller, Get, Param, Patch, Query, Req, Res, type Type } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../../core/http/body/body.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { OlderRepresentations, RespondsWith } from '../../../core/versioning/version.guard.js';
import type { Actor } from '../../../shared/policy/actor.js';
import {
  CreationStatusDto,
  CreationStatusService,
  MediaMetaDto,
  UpdateMediaMetaDto,
  MediaMetaService,
} from './media-meta.service.js';
import { MediaMeta21Dto } from './media-meta.versions.js';
import { ApiMediaQuery, ApiPreview, sendMedia, sendPreview } from './media-http.js';
import { MediaReader, type MediaTarget } from './media-reader.js';

/** @param query documents query parameters that only one type of object has */
function mediaController(
  kind: MediaTarget['kind'],
  name: string,
  { paths, query, preview }: { readonly paths: string[]; readonly query: MethodDecorator[]; readonly preview: string },
): Type {
  @ApiTags(`${kind}s`)
  @OlderRepresentations(MediaMetaDto, { '2.0': MediaMeta21Dto, '2.1': MediaMeta21Dto })
  @Controller(`api/${kind}s`)
  class MediaController {
    constructor(
      private readonly reader: MediaReader,
      private readonly metas: MediaMetaService,
    ) {}

    @Get(paths)
    @Scope(`${kind}:view:data`)
    @ApiOperation({ summary: `Get a chunk, a frame, context images or the preview of a ${kind}` })
    @ApiMediaQuery()
    @applyDecorators(...query)
    async data(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() parameters: Record<string, unknown>,
      @Req() request: Request,
      @Res({ passthrough: true }) response: Response,
    ): Promise<Buffer | undefined> {
      // Browsers reject a redirect to another host, unless the bucket allows the origin.
      const mayRedirect = request.headers['sec-fetch-mode'] === undefined;
      return sendMedia(request, response, await this.reader.read(actor, { kind, id }, parameters, mayRedirect));
    }

    @Get(':id/data/meta')
    @Scope(`${kind}:view:metadata`)
    @ApiOperation({ summary: `Get the frames of a ${kind}` })
    @RespondsWith('media-meta')
    @ApiOkResponse({ type: MediaMetaDto })
    meta(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<MediaMetaDto> {
      return this.metas.get(actor, { kind, id });
    }

    @Patch(':id/data/meta')
    @Scope(`${kind}:update:metadata`)
    @ApiOperation({ summary: `Set the deleted frames of a ${kind}` })
    @RespondsWith('media-meta')
    @ApiOkResponse({ type: MediaMetaDto })
    updateMeta(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @JsonBody(UpdateMediaMetaDto) body: Unvalidated<UpdateMediaMetaDto>,
    ): Promise<MediaMetaDto> {
      return this.metas.update(actor, { kind, id }, body);
    }

    @Get(':id/preview')
    @Scope(`${kind}:view`)
    @ApiOperation({ summary: `Get the preview of a ${kind}` })
    @ApiPreview(preview)
    preview(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Req() request: Request,
      @Res({ passthrough: true }) response: Response,
    ): Promise<Buffer | undefined> {
      return sendPreview(request, response, this.reader.preview(actor, { kind, id }));
    }
  }
  Object.defineProperty(MediaController, 'name', { value: name });
  return MediaController;
}

export const TaskMediaController = mediaController('task', 'TaskMediaController', {
  // With and without a trailing slash; the router removes one slash.
  paths: [':id/data', ':id/data//'],
  query: [],
  preview: 'The first frame',
});
export const JobMediaController = mediaController('job', 'JobMediaController', {
  paths: [':id/data'],
  query: [
    ApiQuery({
      name: 'index',
      required: false,
      type: 'integer',
      description: "Number of a chunk, counted from the job's first frame",
    }),
  ],
  preview: "The job's first frame",
});

@ApiTags('tasks')
@Controller('api/tasks')
export class CreationStatusController {
  constructor(private readonly creation: CreationStatusService) {}

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
