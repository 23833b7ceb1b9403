import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Query } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import type { RequestIdDto } from '../../media/index.js';
import { importPlace, importSubresource, type ImportTarget } from '../exchange-target.js';
import { FileSending } from './file-sending.js';
import { ImportService } from './import.service.js';

/** What the routes of projects, tasks and jobs have in common. */
@Injectable()
export class ImportEndpoint {
  constructor(
    @Inject(ImportService) private readonly imports: ImportService,
    @Inject(FileSending) private readonly sending: FileSending,
  ) {}

  async send(
    actor: Actor,
    target: ImportTarget,
    query: Query,
    request: Request,
    response: Response,
  ): Promise<RequestIdDto | undefined> {
    await this.imports.require(actor, target);
    const collection = `${actor.baseUrl}/api/${target.kind}s/${target.id}/${importSubresource(target.kind)}`;
    return this.sending.send({ actor, place: importPlace(target), collection, request, response }, () =>
      this.imports.start(actor, target, query, request),
    );
  }

  discover(response: Response): void {
    this.sending.discover(response);
  }

  async state(actor: Actor, target: ImportTarget, key: string, response: Response): Promise<void> {
    await this.imports.require(actor, target);
    await this.sending.state(actor, importPlace(target), key, response);
  }

  async append(actor: Actor, target: ImportTarget, key: string, request: Request, response: Response): Promise<void> {
    await this.imports.require(actor, target);
    await this.sending.append(actor, importPlace(target), key, request, response);
  }
}
