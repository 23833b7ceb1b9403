import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { IdPipe } from '../../../core/http/id.pipe.js';
import type { Actor } from '../../../policy/actor.js';
import { sendPreview } from './media-response.js';
import { MediaReader } from './media-reader.js';

@ApiTags('projects')
@Controller('api/projects')
export class ProjectPreviewController {
  constructor(@Inject(MediaReader) private readonly reader: MediaReader) {}

  @Get(':id/preview')
  @Scope('project:view')
  @ApiProduces('image/jpeg')
  @ApiOkResponse({ description: "The newest task's first frame, in 256×256 pixels at most" })
  preview(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Buffer | undefined> {
    return sendPreview(request, response, this.reader.projectPreview(actor, id));
  }
}
