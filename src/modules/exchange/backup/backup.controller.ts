import {
  Controller,
  Get,
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
  ApiAcceptedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { AlsoReadOnly, Scope } from '../../../core/access/scope.decorator.js';
import { ApiTextErrors } from '../../../core/http/errors/api-errors.js';
import { movedStatus } from '../../../core/http/errors/errors.js';
import { parameter } from '../../../core/list/page-request.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { slashed } from '../../../core/http/request/trailing-slash.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { ApiQueued, RequestIdDto } from '../../media/index.js';
import {
  ANNOUNCED,
  ApiPiece,
  ApiSentFile,
  ARCHIVE,
  BACKUP_PARAMETERS,
  REQUEST_PARAMETER,
} from '../exchange-documents.js';
import { sendExport } from '../export/export.controller.js';
import { ExportService } from '../export/export.service.js';
import { FileUploads } from '../import/import-files.js';
import { ProjectFileDto, TaskFileDto } from './backup.dto.js';
import { type BackupKind, BackupService, restoreLocation } from './backup.service.js';

const COLLECTION = ['backup', slashed('backup')];
const ITEM = 'backup/:fileId';

/** The backup routes of projects or tasks. */
function backupController(kind: BackupKind, name: string, file: Type): Type {
  @ApiTags(`${kind}s`)
  @Controller(`api/${kind}s`)
  class BackupController {
    constructor(
      private readonly backups: BackupService,
      private readonly exports: ExportService,
      private readonly sending: FileUploads,
    ) {}

    @Post(':id/backup/export')
    @HttpCode(202)
    @Scope(`${kind}:export`)
    @AlsoReadOnly()
    @ApiOperation({ summary: `Create a backup of a ${kind}: media, labels, jobs, annotations and guide` })
    @ApiQuery(BACKUP_PARAMETERS.filename)
    @ApiQuery(BACKUP_PARAMETERS.location)
    @ApiQuery(BACKUP_PARAMETERS.cloudStorage)
    @ApiQuery(BACKUP_PARAMETERS.lightweight)
    @ApiTextErrors(400, 409)
    @ApiAcceptedResponse({
      type: RequestIdDto,
      description: 'The backup is queued; the request has the URL of its file',
    })
    async start(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() query: Record<string, unknown>,
    ): Promise<RequestIdDto> {
      return { rq_id: await this.backups.start(actor, { kind, id }, query) };
    }

    @Get(':id/backup/download')
    @Scope(`${kind}:download`)
    @ApiOperation({ summary: `Download a finished backup of a ${kind}; only its requester may` })
    @ApiQuery(REQUEST_PARAMETER)
    @ApiTextErrors(400, 404)
    @ApiOkResponse({ description: 'The archive', content: ARCHIVE })
    async download(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() query: Record<string, unknown>,
      @Res() response: Response,
    ): Promise<void> {
      await sendExport(response, await this.exports.download(actor, { kind, id }, query));
    }

    @Post(COLLECTION)
    @Scope(`${kind}:import:backup`)
    @ApiOperation({
      summary: `Restore a ${kind} from a backup`,
      description:
        'Creates a new one, owned by the requester. Without Upload headers: a form with the file. In several requests: ' +
        'Upload-Start, then a resumable upload (Upload-Length, TUS 1.0.0), then Upload-Finish with the name of the file.',
    })
    @ApiQuery(BACKUP_PARAMETERS.sent)
    @ApiQuery(BACKUP_PARAMETERS.source)
    @ApiQuery(BACKUP_PARAMETERS.cloudStorage)
    @ApiSentFile(file)
    @ApiTextErrors(400, 410, 413)
    @ApiResponse(ANNOUNCED)
    @ApiQueued('The restore is queued')
    async send(
      @CurrentActor() actor: Actor,
      @Query() query: Record<string, unknown>,
      @Req() request: Request,
      @Res({ passthrough: true }) response: Response,
    ): Promise<RequestIdDto | undefined> {
      this.backups.requireRestore(actor, kind);
      if (parameter(query, 'rq_id') !== '') throw movedStatus();
      const upload = { actor, location: restoreLocation(kind), collection: `${actor.baseUrl}/api/${kind}s/backup` };
      return await this.sending.send({ ...upload, request, response }, () =>
        this.backups.restore(actor, kind, query, request),
      );
    }

    @Options(COLLECTION)
    @HttpCode(204)
    @Scope('server:view')
    @ApiOperation({ summary: 'Get the capabilities of resumable uploads of backups' })
    @ApiNoContentResponse({ description: 'The capabilities of resumable uploads' })
    discover(@Res({ passthrough: true }) response: Response): void {
      this.sending.discover(response);
    }

    @Head(ITEM)
    @Scope(`${kind}:import:backup`)
    @ApiOperation({ summary: 'Get the offset of a resumable upload of a backup' })
    @ApiOkResponse({ description: 'Upload-Offset is the number of bytes received so far' })
    async state(
      @CurrentActor() actor: Actor,
      @Param('fileId') key: string,
      @Res({ passthrough: true }) response: Response,
    ): Promise<void> {
      this.backups.requireRestore(actor, kind);
      await this.sending.state(actor, restoreLocation(kind), key, response);
    }

    @Patch(ITEM)
    @HttpCode(204)
    @Scope(`${kind}:import:backup`)
    @ApiOperation({ summary: 'Send a chunk of a resumable upload of a backup' })
    @ApiPiece()
    async append(
      @CurrentActor() actor: Actor,
      @Param('fileId') key: string,
      @Req() request: Request,
      @Res({ passthrough: true }) response: Response,
    ): Promise<void> {
      this.backups.requireRestore(actor, kind);
      await this.sending.append(actor, restoreLocation(kind), key, request, response);
    }
  }
  Object.defineProperty(BackupController, 'name', { value: name });
  return BackupController;
}

export const ProjectBackupController = backupController('project', 'ProjectBackupController', ProjectFileDto);
export const TaskBackupController = backupController('task', 'TaskBackupController', TaskFileDto);
