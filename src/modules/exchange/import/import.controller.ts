import {
  applyDecorators,
  Controller,
  Head,
  HttpCode,
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
import { ApiTextErrors } from '../../../core/http/errors/api-errors.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { slashed } from '../../../core/http/request/trailing-slash.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { ApiQueued, RequestIdDto } from '../../media/index.js';
import {
  AnnotationFileDto,
  ANNOUNCED,
  ApiPiece,
  ApiSentFile,
  DatasetFileDto,
  IMPORT_PARAMETERS,
} from '../exchange-documents.js';
import { importLocation, importSubresource, type ImportTarget } from '../exchange-requests.js';
import { FileUploads } from './import-files.js';
import { ImportService } from './import.service.js';

interface Family {
  readonly kind: ImportTarget['kind'];
  readonly summary: string;
  /** What the import does to the existing annotations. */
  readonly effect: string;
  readonly file: Type;
}

/** The import routes: annotations into tasks or jobs, datasets into projects. */
function importController(name: string, family: Family): Type {
  const { kind } = family;
  const [one, many] = kind === 'project' ? ['a dataset', 'datasets'] : ['annotations', 'annotations'];
  const subresource = importSubresource(kind);
  const scope = `${kind}:import:${subresource}`;
  const path = `:id/${subresource}`;
  const collection = [path, slashed(path)];
  const item = `${path}/:fileId`;

  @ApiTags(`${kind}s`)
  @Controller(`api/${kind}s`)
  class ImportController {
    constructor(
      private readonly imports: ImportService,
      private readonly sending: FileUploads,
    ) {}

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
    @ApiQuery(IMPORT_PARAMETERS.dryRun)
    @ApiQuery(IMPORT_PARAMETERS.skipUnmatched)
    @ApiQuery(IMPORT_PARAMETERS.onlyComplete)
    @ApiQuery(IMPORT_PARAMETERS.cloudStorage)
    @ApiSentFile(family.file)
    @ApiTextErrors(400, 409, 413)
    @ApiResponse(ANNOUNCED)
    @ApiQueued('The import is queued')
    async send(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() query: Record<string, unknown>,
      @Req() request: Request,
      @Res({ passthrough: true }) response: Response,
    ): Promise<RequestIdDto | undefined> {
      const target = { kind, id };
      await this.imports.require(actor, target);
      const upload = {
        actor,
        location: importLocation(target),
        collection: `${actor.baseUrl}/api/${kind}s/${id}/${subresource}`,
      };
      return this.sending.send({ ...upload, request, response }, () =>
        this.imports.start(actor, target, query, request),
      );
    }

    @Options(collection)
    @ApiParam({ name: 'id', schema: { type: 'integer' } })
    @HttpCode(204)
    @Scope('server:view')
    @ApiOperation({ summary: `Get the capabilities of resumable uploads of ${many}` })
    @ApiNoContentResponse({ description: 'The capabilities of resumable uploads' })
    discover(@Res({ passthrough: true }) response: Response): void {
      this.sending.discover(response);
    }

    @Head(item)
    @Scope(scope)
    @ApiOperation({ summary: `Get the offset of a resumable upload of ${one}` })
    @ApiOkResponse({ description: 'Upload-Offset is the number of bytes received so far' })
    async state(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Param('fileId') key: string,
      @Res({ passthrough: true }) response: Response,
    ): Promise<void> {
      const target = { kind, id };
      await this.imports.require(actor, target);
      await this.sending.state(actor, importLocation(target), key, response);
    }

    @Patch(item)
    @HttpCode(204)
    @Scope(scope)
    @ApiOperation({ summary: `Send a chunk of a resumable upload of ${one}` })
    @ApiPiece()
    async append(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Param('fileId') key: string,
      @Req() request: Request,
      @Res({ passthrough: true }) response: Response,
    ): Promise<void> {
      const target = { kind, id };
      await this.imports.require(actor, target);
      await this.sending.append(actor, importLocation(target), key, request, response);
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
  effect: 'Creates a task for each subset.',
  file: DatasetFileDto,
});
export const TaskImportController = importController('TaskImportController', {
  kind: 'task',
  summary: 'Import a file of annotations into a task',
  effect: 'Replaces all annotations.',
  file: AnnotationFileDto,
});
