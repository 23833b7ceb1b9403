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
import { AnnotationFileDto } from './annotation-file.dto.js';
import { ImportEndpoint } from './import.endpoint.js';

const COLLECTION = [':id/annotations', slashed(':id/annotations')];
const ITEM = ':id/annotations/:fileId';

/** The way of a file of annotations into a task. */
@ApiTags('tasks')
@Controller('api/tasks')
export class TaskImportController {
  constructor(@Inject(ImportEndpoint) private readonly endpoint: ImportEndpoint) {}

  @Post(COLLECTION)
  @Scope('task:import:annotations')
  @ApiOperation({
    summary: 'Import a file of annotations into a task',
    description:
      'Replaces all annotations. Without Upload headers: a form with the file. In several requests: Upload-Start, then ' +
      'a resumable upload (Upload-Length, TUS 1.0.0), then Upload-Finish with the format and the name of the file.',
  })
  @ApiQuery(IMPORT_PARAMETERS.format)
  @ApiQuery(IMPORT_PARAMETERS.filename)
  @ApiQuery(IMPORT_PARAMETERS.location)
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: AnnotationFileDto, required: false })
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
    return this.endpoint.send(actor, { kind: 'task', id }, query, request, response);
  }

  @Options(COLLECTION)
  @HttpCode(204)
  @Scope('task:import:annotations')
  @ApiOperation({ summary: 'What resumable uploads of annotations can do' })
  @ApiNoContentResponse({ description: 'What resumable uploads can do' })
  discover(@Res({ passthrough: true }) response: Response): void {
    this.endpoint.discover(response);
  }

  @Head(ITEM)
  @Scope('task:import:annotations')
  @ApiOperation({ summary: 'How far a resumable upload of annotations has come' })
  @ApiOkResponse({ description: 'Upload-Offset and Upload-Length of a resumable upload' })
  state(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Param('fileId') key: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    return this.endpoint.state(actor, { kind: 'task', id }, key, response);
  }

  @Patch(ITEM)
  @HttpCode(204)
  @Scope('task:import:annotations')
  @ApiOperation({ summary: 'Send a piece of a resumable upload of annotations' })
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
    return this.endpoint.append(actor, { kind: 'task', id }, key, request, response);
  }
}
