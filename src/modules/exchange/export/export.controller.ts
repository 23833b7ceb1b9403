import { pipeline } from 'node:stream/promises';
import { Controller, Get, HttpCode, Param, Post, Query, Res, type Type } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { AlsoReadOnly, Scope } from '../../../core/access/scope.decorator.js';
import { ApiTextErrors } from '../../../core/http/errors/api-errors.js';
import { contentDisposition } from '../../../core/http/response/content-disposition.js';
import { ApiError, movedExport } from '../../../core/http/errors/errors.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { RequestIdDto } from '../../media/index.js';
import { ExchangeAccess, type ExportTarget } from '../exchange-requests.js';
import { ARCHIVE, EXPORT_PARAMETERS, REQUEST_PARAMETER } from '../exchange-documents.js';
import { type ExportedFile, ExportService } from './export.service.js';

/** The export routes of projects, tasks or jobs. */
function exportController(kind: ExportTarget['kind'], name: string): Type {
  @ApiTags(`${kind}s`)
  @Controller(`api/${kind}s`)
  class ExportController {
    constructor(private readonly exports: ExportService) {}

    @Post(':id/dataset/export')
    @HttpCode(202)
    @Scope(`${kind}:export`)
    @AlsoReadOnly()
    @ApiOperation({ summary: `Export the annotations of a ${kind}, with or without images` })
    @ApiQuery(EXPORT_PARAMETERS.format)
    @ApiQuery(EXPORT_PARAMETERS.saveImages)
    @ApiQuery(EXPORT_PARAMETERS.filename)
    @ApiQuery(EXPORT_PARAMETERS.label)
    @ApiQuery(EXPORT_PARAMETERS.jobState)
    @ApiQuery(EXPORT_PARAMETERS.changedSince)
    @ApiQuery(EXPORT_PARAMETERS.location)
    @ApiQuery(EXPORT_PARAMETERS.cloudStorage)
    @ApiTextErrors(400, 409)
    @ApiAcceptedResponse({
      type: RequestIdDto,
      description: 'The export is queued; the request has the URL of its file',
    })
    async start(
      @CurrentActor() actor: Actor,
      @Param('id', IdPipe) id: number,
      @Query() query: Record<string, unknown>,
    ): Promise<RequestIdDto> {
      return { rq_id: await this.exports.start(actor, { kind, id }, query) };
    }

    @Get(':id/dataset/download')
    @Scope(`${kind}:download`)
    @ApiOperation({ summary: `Download a finished export of a ${kind}; only its requester may` })
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
  }
  Object.defineProperty(ExportController, 'name', { value: name });
  return ExportController;
}

export const JobExportController = exportController('job', 'JobExportController');
export const ProjectExportController = exportController('project', 'ProjectExportController');
export const TaskExportController = exportController('task', 'TaskExportController');

/** A URL for exports of older clients. The 410 response names the new one. */
function removedController(kind: ExportTarget['kind'], name: string, part: string, now: string): Type {
  @ApiTags(`${kind}s`)
  @Controller(`api/${kind}s`)
  class RemovedController {
    constructor(private readonly access: ExchangeAccess) {}

    @Get(`:id/${part}`)
    @Scope(`${kind}:export`)
    @ApiOperation({ summary: `Removed: exports of a ${kind} have another URL`, deprecated: true })
    @ApiTextErrors(410)
    async refuse(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<never> {
      await this.access.requireExport(actor, { kind, id });
      throw movedExport(`/api/${kind}s/id/${now}`);
    }
  }
  Object.defineProperty(RemovedController, 'name', { value: name });
  return RemovedController;
}

const DATASET = 'dataset/export?save_images=True';
const ANNOTATIONS = 'dataset/export?save_images=False';
const BACKUP = 'backup/export';

export const REMOVED_CONTROLLERS: Type[] = [
  removedController('project', 'ProjectDatasetRemovedController', 'dataset', DATASET),
  removedController('project', 'ProjectAnnotationsRemovedController', 'annotations', ANNOTATIONS),
  removedController('project', 'ProjectBackupRemovedController', 'backup', BACKUP),
  removedController('task', 'TaskDatasetRemovedController', 'dataset', DATASET),
  removedController('task', 'TaskBackupRemovedController', 'backup', BACKUP),
  removedController('job', 'JobDatasetRemovedController', 'dataset', DATASET),
];

const expired = (): ApiError => new ApiError(404, 'The exported file has expired, please retry exporting');

/** Sends the file of a finished export or backup; a Range header selects a part of it. */
export async function sendExport(response: Response, file: ExportedFile, type = 'application/zip'): Promise<void> {
  const headers = {
    'Content-Type': type,
    'Content-Disposition': contentDisposition('attachment', file.name),
    'Cache-Control': 'private, no-store',
  };
  const { path } = file;
  if (path === undefined) return sendStored(response, file, headers);
  await new Promise<void>((resolve, reject) => {
    response.sendFile(path, { dotfiles: 'allow', cacheControl: false, headers }, (error?: Error) => {
      if (error === undefined || response.headersSent) resolve();
      else reject(expired());
    });
  });
}

/** Passes a file in a bucket on. */
async function sendStored(
  response: Response,
  { bytes, open }: ExportedFile,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const ranges = response.req.range(bytes);
  const range = Array.isArray(ranges) && ranges.type === 'bytes' && ranges.length === 1 ? ranges[0] : undefined;
  const opened = ranges === -1 ? undefined : await open(range);
  if (opened === undefined && ranges !== -1) throw expired();
  response.set({ ...headers, 'Accept-Ranges': 'bytes' });
  if (opened === undefined) return void response.status(416).set('Content-Range', `bytes */${bytes}`).end();
  const { start, end } = range ?? { start: 0, end: bytes - 1 };
  if (range !== undefined) response.status(206).set('Content-Range', `bytes ${start}-${end}/${bytes}`);
  response.set('Content-Length', String(end - start + 1));
  // A client that leaves is no error, and a response that has begun can only be cut off.
  await pipeline(opened.stream, response).catch(() => response.destroy());
}
