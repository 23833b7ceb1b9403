import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { movedStatus } from '../../../core/http/moved.js';
import { parameter, type Query } from '../../../core/list/page-request.js';
import type { Actor } from '../../../policy/actor.js';
import { type RequestIdDto, TusEndpoint } from '../../media/index.js';
import { ImportFiles } from '../import/import-files.js';
import { type BackupKind, BackupService, restorePlace } from './backup.service.js';

/** What the routes of projects and tasks have in common. */
@Injectable()
export class BackupEndpoint {
  constructor(
    @Inject(BackupService) private readonly backups: BackupService,
    @Inject(ImportFiles) private readonly files: ImportFiles,
    @Inject(TusEndpoint) private readonly tus: TusEndpoint,
  ) {}

  async start(actor: Actor, kind: BackupKind, id: number, query: Query): Promise<RequestIdDto> {
    return { rq_id: await this.backups.start(actor, { kind, id }, query) };
  }

  /** The headers say which step of sending a file this is. */
  async send(
    actor: Actor,
    kind: BackupKind,
    query: Query,
    request: Request,
    response: Response,
  ): Promise<RequestIdDto | undefined> {
    this.backups.requireRestore(actor, kind);
    if (parameter(query, 'rq_id') !== '') throw movedStatus();
    const has = (header: string): boolean => request.headers[header] !== undefined;
    if (!has('upload-finish') && has('upload-start')) {
      response.status(202);
      return undefined;
    }
    if (!has('upload-finish') && has('upload-length')) {
      const collection = `${actor.baseUrl}/api/${kind}s/backup`;
      return this.tus.announce({ actor, request, response, collection }, (length, metadata) =>
        this.files.announce(actor, restorePlace(kind), length, metadata),
      );
    }
    const requestId = await this.backups.restore(actor, kind, query, request);
    response.status(202);
    return { rq_id: requestId };
  }

  discover(response: Response): void {
    this.tus.discover(response);
  }

  async state(actor: Actor, kind: BackupKind, key: string, response: Response): Promise<void> {
    this.backups.requireRestore(actor, kind);
    await this.tus.state(response, () => this.files.state(actor, restorePlace(kind), key));
  }

  async append(actor: Actor, kind: BackupKind, key: string, request: Request, response: Response): Promise<void> {
    this.backups.requireRestore(actor, kind);
    await this.tus.append(request, response, (offset) =>
      this.files.append(actor, restorePlace(kind), key, { offset, body: request }),
    );
  }
}
