import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { contentDisposition } from '../../../core/http/content-disposition.js';
import { ApiError } from '../../../core/http/errors.js';
import type { Query } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { RequestIdDto } from '../../media/index.js';
import type { ExportTarget } from '../exchange-target.js';
import { ExportService } from './export.service.js';

/** What the routes of projects, tasks and jobs have in common. */
@Injectable()
export class ExportEndpoint {
  constructor(@Inject(ExportService) private readonly exports: ExportService) {}

  async start(actor: Actor, target: ExportTarget, query: Query): Promise<RequestIdDto> {
    return { rq_id: await this.exports.start(actor, target, query) };
  }

  /** Parts of the file can be asked for. */
  async download(actor: Actor, target: ExportTarget, query: Query, response: Response): Promise<void> {
    const { path, name } = await this.exports.download(actor, target, query);
    const headers = {
      'Content-Type': 'application/zip',
      'Content-Disposition': contentDisposition('attachment', name),
      'Cache-Control': 'private, no-store',
    };
    await new Promise<void>((resolve, reject) => {
      response.sendFile(path, { dotfiles: 'allow', cacheControl: false, headers }, (error?: Error) => {
        if (error === undefined || response.headersSent) resolve();
        else reject(new ApiError(404, 'The exported file has expired, please retry exporting'));
      });
    });
  }
}
