import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { IdPipe } from '../../../core/http/id.pipe.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { ApiPreview, sendPreview } from './media-response.js';
import { MediaReader } from './media-reader.js';

@ApiTags('projects')
@Controller('api/projects')
export class ProjectPreviewController {
  constructor(@Inject(MediaReader) private readonly reader: MediaReader) {}

  @Get(':id/preview')
  @Scope('project:view')
  @ApiOperation({ summary: 'Preview of a project' })
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
