import { Controller, Head, HttpCode, Inject, Options, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { ApiTextErrors } from '../../../core/http/api-errors.js';
import { IdPipe } from '../../../core/http/id.pipe.js';
import { slashed } from '../../../core/http/trailing-slash.js';
import type { Actor } from '../../../policy/actor.js';
import { RequestIdDto } from '../../media/index.js';
import { ANNOUNCED, IMPORT_PARAMETERS } from '../exchange.parameters.js';
import { DatasetFileDto } from './annotation-file.dto.js';
import { ImportEndpoint } from './import.endpoint.js';

const COLLECTION = [':id/dataset', slashed(':id/dataset')];
const ITEM = ':id/dataset/:fileId';

/** The way of a dataset into a project. */
@ApiTags('projects')
@Controller('api/projects')
export class ProjectImportController {
  constructor(@Inject(ImportEndpoint) private readonly endpoint: ImportEndpoint) {}

  @Post(COLLECTION)
  @Scope('project:import:dataset')
  @ApiOperation({
    summary: 'Import a dataset with images into a project',
    description:
      'Makes a task of each subset. Without Upload headers: a form with the file. In several requests: Upload-Start, then ' +
      'a resumable upload (Upload-Length, TUS 1.0.0), then Upload-Finish with the format and the name of the file.',
  })
  @ApiQuery(IMPORT_PARAMETERS.format)
  @ApiQuery(IMPORT_PARAMETERS.filename)
  @ApiQuery(IMPORT_PARAMETERS.location)
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: DatasetFileDto, required: false })
  @ApiHeader({ name: 'Upload-Start', required: false })
  @ApiHeader({ name: 'Upload-Length', required: false })
  @ApiHeader({ name: 'Upload-Metadata', required: false })
  @ApiHeader({ name: 'Upload-Finish', required: false })
  @ApiTextErrors(400, 409, 413)
  @ApiResponse(ANNOUNCED)
  @ApiResponse({ status: 202, type: RequestIdDto, description: 'The import is queued; or, for Upload-Start, nothing' })
  send(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RequestIdDto | undefined> {
    return this.endpoint.send(actor, { kind: 'project', id }, query, request, response);
  }

  @Options(COLLECTION)
  @HttpCode(204)
  @Scope('project:import:dataset')
  @ApiOperation({ summary: 'What resumable uploads of datasets can do' })
  @ApiNoContentResponse({ description: 'What resumable uploads can do' })
  discover(@Res({ passthrough: true }) response: Response): void {
    this.endpoint.discover(response);
  }

  @Head(ITEM)
  @Scope('project:import:dataset')
  @ApiOperation({ summary: 'How far a resumable upload of a dataset has come' })
  @ApiOkResponse({ description: 'Upload-Offset and Upload-Length of a resumable upload' })
  state(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Param('fileId') key: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    return this.endpoint.state(actor, { kind: 'project', id }, key, response);
  }

  @Patch(ITEM)
  @HttpCode(204)
  @Scope('project:import:dataset')
  @ApiOperation({ summary: 'Send a piece of a resumable upload of a dataset' })
  @ApiConsumes('application/offset+octet-stream')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiHeader({ name: 'Upload-Offset', required: false })
  @ApiNoContentResponse({ description: 'A piece is kept; Upload-Offset says how far the file has come' })
  append(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Param('fileId') key: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    return this.endpoint.append(actor, { kind: 'project', id }, key, request, response);
  }
}
