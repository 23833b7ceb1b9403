import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { movedStatus } from '../../../core/http/moved.js';
import { parameter, type Query } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import type { RequestIdDto } from '../../media/index.js';
import { FileSending } from '../import/file-sending.js';
import { type BackupKind, BackupService, restorePlace } from './backup.service.js';

/** What the routes of projects and tasks have in common. */
@Injectable()
export class BackupEndpoint {
  constructor(
    @Inject(BackupService) private readonly backups: BackupService,
    @Inject(FileSending) private readonly sending: FileSending,
  ) {}

  async start(actor: Actor, kind: BackupKind, id: number, query: Query): Promise<RequestIdDto> {
    return { rq_id: await this.backups.start(actor, { kind, id }, query) };
  }

  async send(
    actor: Actor,
    kind: BackupKind,
    query: Query,
    request: Request,
    response: Response,
  ): Promise<RequestIdDto | undefined> {
    this.backups.requireRestore(actor, kind);
    if (parameter(query, 'rq_id') !== '') throw movedStatus();
    const collection = `${actor.baseUrl}/api/${kind}s/backup`;
    return this.sending.send({ actor, place: restorePlace(kind), collection, request, response }, () =>
      this.backups.restore(actor, kind, query, request),
    );
  }

  discover(response: Response): void {
    this.sending.discover(response);
  }

  async state(actor: Actor, kind: BackupKind, key: string, response: Response): Promise<void> {
    this.backups.requireRestore(actor, kind);
    await this.sending.state(actor, restorePlace(kind), key, response);
  }

  async append(actor: Actor, kind: BackupKind, key: string, request: Request, response: Response): Promise<void> {
    this.backups.requireRestore(actor, kind);
    await this.sending.append(actor, restorePlace(kind), key, request, response);
  }
}
