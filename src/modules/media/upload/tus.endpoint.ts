import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import { UnsupportedMediaType } from '../../../core/http/errors.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { readByteCount, tusHeaders, uploadKey } from './tus-protocol.js';

/** The announcement of a file. */
export interface Announcement {
  readonly actor: Actor;
  readonly request: Request;
  readonly response: Response;
  /** Address of the files of the same object; `/<key>` of the new one is added. */
  readonly collection: string;
}

/** The headers of resumable uploads (TUS 1.0.0), for every route that takes files in this way. */
@Injectable()
export class TusEndpoint {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  discover(response: Response): void {
    for (const [name, value] of Object.entries(tusHeaders(this.config.limits.uploadBytes)))
      response.setHeader(name, value);
  }

  /** @param create keeps the place for a file of so many bytes */
  async announce(
    { actor, request, response, collection }: Announcement,
    create: (length: number, metadata: string) => Promise<{ fileId: string; name: string }>,
  ): Promise<undefined> {
    this.discover(response);
    const length = readByteCount('Upload-Length', request.header('upload-length'), 1);
    const { fileId, name } = await create(length, request.header('upload-metadata') ?? '');
    response.status(201);
    response.setHeader('Location', `${collection}/${uploadKey(actor.id, fileId)}`);
    response.setHeader('Upload-Filename', headerText(name));
  }

  async state(response: Response, read: () => Promise<{ offset: number; length: number }>): Promise<void> {
    this.discover(response);
    const { offset, length } = await read();
    response.setHeader('Upload-Offset', String(offset));
    response.setHeader('Upload-Length', String(length));
  }

  /** @param append adds the body at an offset and returns the new one */
  async append(request: Request, response: Response, append: (offset: number) => Promise<number>): Promise<void> {
    this.discover(response);
    const type = request.headers['content-type'] ?? '';
    if (type !== 'application/offset+octet-stream') throw new UnsupportedMediaType(type);
    const offset = readByteCount('Upload-Offset', request.header('upload-offset') ?? '0', 0);
    response.setHeader('Upload-Offset', String(await append(offset)));
  }
}

/** Node writes headers in Latin-1: the bytes of UTF-8, as other servers send them. */
const headerText = (text: string): string => Buffer.from(text.replace(/[\r\n]/g, ' ')).toString('latin1');
