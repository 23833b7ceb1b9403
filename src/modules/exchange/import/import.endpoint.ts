import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Query } from '../../../core/list/page-request.js';
import type { Actor } from '../../../policy/actor.js';
import { type RequestIdDto, TusEndpoint } from '../../media/index.js';
import { importPlace, importSubresource, type ImportTarget } from '../exchange-target.js';
import { ImportFiles } from './import-files.js';
import { ImportService } from './import.service.js';

/** What the routes of tasks and jobs have in common. */
@Injectable()
export class ImportEndpoint {
  constructor(
    @Inject(ImportService) private readonly imports: ImportService,
    @Inject(ImportFiles) private readonly files: ImportFiles,
    @Inject(TusEndpoint) private readonly tus: TusEndpoint,
  ) {}

  /** The headers say which step of sending a file this is. */
  async send(
    actor: Actor,
    target: ImportTarget,
    query: Query,
    request: Request,
    response: Response,
  ): Promise<RequestIdDto | undefined> {
    await this.imports.require(actor, target);
    const has = (header: string): boolean => request.headers[header] !== undefined;
    if (!has('upload-finish') && has('upload-start')) {
      response.status(202);
      return undefined;
    }
    if (!has('upload-finish') && has('upload-length')) {
      const collection = `${actor.baseUrl}/api/${target.kind}s/${target.id}/${importSubresource(target.kind)}`;
      return this.tus.announce({ actor, request, response, collection }, (length, metadata) =>
        this.files.announce(actor, importPlace(target), length, metadata),
      );
    }
    const requestId = await this.imports.start(actor, target, query, request);
    response.status(202);
    return { rq_id: requestId };
  }

  discover(response: Response): void {
    this.tus.discover(response);
  }

  async state(actor: Actor, target: ImportTarget, key: string, response: Response): Promise<void> {
    await this.imports.require(actor, target);
    await this.tus.state(response, () => this.files.state(actor, importPlace(target), key));
  }

  async append(actor: Actor, target: ImportTarget, key: string, request: Request, response: Response): Promise<void> {
    await this.imports.require(actor, target);
    await this.tus.append(request, response, (offset) =>
      this.files.append(actor, importPlace(target), key, { offset, body: request }),
    );
  }
}
