import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Actor } from '../../../shared/policy/actor.js';
import { type RequestIdDto, TusEndpoint } from '../../media/index.js';
import type { UploadPlace } from '../exchange-target.js';
import { ImportFiles } from './import-files.js';

/** A request by which somebody sends a file, or begins to. */
interface Step {
  readonly actor: Actor;
  readonly place: UploadPlace;
  /** Absolute address below which pieces are sent. */
  readonly collection: string;
  readonly request: Request;
  readonly response: Response;
}

/** Files that are to be imported, sent in one request or in several. The caller has checked the permission. */
@Injectable()
export class FileSending {
  constructor(
    @Inject(ImportFiles) private readonly files: ImportFiles,
    @Inject(TusEndpoint) private readonly tus: TusEndpoint,
  ) {}

  /**
   * The headers say which step of sending a file this is.
   * @param begin queues the work once the file is there or comes with this request; returns the id of the request
   */
  async send(
    { actor, place, collection, request, response }: Step,
    begin: () => Promise<string>,
  ): Promise<RequestIdDto | undefined> {
    const has = (header: string): boolean => request.headers[header] !== undefined;
    if (!has('upload-finish') && has('upload-start')) {
      response.status(202);
      return undefined;
    }
    if (!has('upload-finish') && has('upload-length')) {
      return this.tus.announce({ actor, request, response, collection }, (length, metadata) =>
        this.files.announce(actor, place, length, metadata),
      );
    }
    const requestId = await begin();
    response.status(202);
    return { rq_id: requestId };
  }

  discover(response: Response): void {
    this.tus.discover(response);
  }

  async state(actor: Actor, place: UploadPlace, key: string, response: Response): Promise<void> {
    await this.tus.state(response, () => this.files.state(actor, place, key));
  }

  async append(actor: Actor, place: UploadPlace, key: string, request: Request, response: Response): Promise<void> {
    await this.tus.append(request, response, (offset) =>
      this.files.append(actor, place, key, { offset, body: request }),
    );
  }
}
