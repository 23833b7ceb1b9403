import {
  applyDecorators,
  Controller,
  Head,
  HttpCode,
  Inject,
  Options,
  Param,
  Patch,
  Post,
  Query,
  Req,
  Res,
  type Type,
} from '@nestjs/common';
import {
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
  ApiParam,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { ApiTextErrors } from '../../../core/http/api-errors.js';
import { IdPipe } from '../../../core/http/id.pipe.js';
import { slashed } from '../../../core/http/trailing-slash.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { RequestIdDto } from '../../media/index.js';
import {
  AnnotationFileDto,
  ANNOUNCED,
  ApiPiece,
  ApiSentFile,
  DatasetFileDto,
  IMPORT_PARAMETERS,
} from '../exchange.parameters.js';
import { type ImportTarget, importSubresource } from '../exchange-target.js';
import { ImportEndpoint } from './import.endpoint.js';

interface Family {
  readonly kind: ImportTarget['kind'];
  readonly summary: string;
  /** What the import does to what is there. */
  readonly effect: string;
  readonly file: Type;
}

/** The routes by which files of annotations come into tasks or jobs, and datasets into projects. */
function importController(name: string, family: Family): Type {
  const { kind } = family;
  const [one, many] = kind === 'project' ? ['a dataset', 'datasets'] : ['annotations', 'annotations'];
  const scope = `${kind}:import:${importSubresource(kind)}`;
  const path = `:id/${importSubresource(kind)}`;
  const collection = [path, slashed(path)];
  const item = `${path}/:fileId`;

  @ApiTags(`${kind}s`)
  @Controller(`api/${kind}s`)
  class ImportController {
    constructor(@Inject(ImportEndpoint) private readonly endpoint: ImportEndpoint) {}

    @Post(collection)
    @Scope(scope)
    @ApiOperation({
      summary: family.summary,
      description:
        `${family.effect} Without Upload headers: a form with the file. In several requests: Upload-Start, then ` +
        'a resumable upload (Upload-Length, TUS 1.0.0), then Upload-Finish with the format and the name of the file.',
    })
    @ApiQuery(IMPORT_PARAMETERS.format)
    @ApiQuery(IMPORT_PARAMETERS.filename)
    @ApiQuery(IMPORT_PARAMETERS.location)
    @ApiQuery(IMPORT_PARAMETERS.masks)
    @applyDecorators(...(kind === 'project' ? [] : [ApiQuery(IMPORT_PARAMETERS.mode)]))
    @ApiQuery(IMPORT_PARAMETERS.cloudStorage)
    @ApiSentFile(family.file)
    @ApiTextErrors(400, 409, 413)
    @ApiResponse(ANNOUNCED)
    @ApiResponse({
      status: 202,
      type: RequestIdDto,
      description: 'The import is queued; or, for Upload-Start, nothing',
    })
    send(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() query: Record<string, unknown>,
      @Req() request: Request,
      @Res({ passthrough: true }) response: Response,
    ): Promise<RequestIdDto | undefined> {
      return this.endpoint.send(actor, { kind, id }, query, request, response);
    }

    @Options(collection)
    @ApiParam({ name: 'id', schema: { type: 'integer' } })
    @HttpCode(204)
    @Scope(scope)
    @ApiOperation({ summary: `What resumable uploads of ${many} can do` })
    @ApiNoContentResponse({ description: 'What resumable uploads can do' })
    discover(@Res({ passthrough: true }) response: Response): void {
      this.endpoint.discover(response);
    }

    @Head(item)
    @Scope(scope)
    @ApiOperation({ summary: `How far a resumable upload of ${one} has come` })
    @ApiOkResponse({ description: 'Upload-Offset and Upload-Length of a resumable upload' })
    state(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Param('fileId') key: string,
      @Res({ passthrough: true }) response: Response,
    ): Promise<void> {
      return this.endpoint.state(actor, { kind, id }, key, response);
    }

    @Patch(item)
    @HttpCode(204)
    @Scope(scope)
    @ApiOperation({ summary: `Send a piece of a resumable upload of ${one}` })
    @ApiPiece()
    append(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Param('fileId') key: string,
      @Req() request: Request,
      @Res({ passthrough: true }) response: Response,
    ): Promise<void> {
      return this.endpoint.append(actor, { kind, id }, key, request, response);
    }
  }
  Object.defineProperty(ImportController, 'name', { value: name });
  return ImportController;
}

export const JobImportController = importController('JobImportController', {
  kind: 'job',
  summary: 'Import a file of annotations into a job',
  effect: 'Replaces all annotations.',
  file: AnnotationFileDto,
});
export const ProjectImportController = importController('ProjectImportController', {
  kind: 'project',
  summary: 'Import a dataset with images into a project',
  effect: 'Makes a task of each subset.',
  file: DatasetFileDto,
});
export const TaskImportController = importController('TaskImportController', {
  kind: 'task',
  summary: 'Import a file of annotations into a task',
  effect: 'Replaces all annotations.',
  file: AnnotationFileDto,
});
