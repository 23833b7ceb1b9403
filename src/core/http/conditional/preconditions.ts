import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../database/db.js';
import { Representations, type WireObject } from '../../versioning/representations.js';
import { versionOf } from '../../versioning/version.guard.js';
import { ApiError } from '../errors/errors.js';
import { currentRequest } from '../request/request-context.js';

/** Refuses to change an object that has changed since the client read it. */
@Injectable()
export class Preconditions {
  constructor(private readonly representations: Representations) {}

  /**
   * Call it inside the transaction, after locking the row and before writing.
   * @param object the object as a GET would return it, in the newest version
   * @throws ApiError 412
   */
  async require(tx: Queryable, resource: string, object: object): Promise<void> {
    const request = currentRequest();
    const header = request?.headers['if-match'];
    if (request === undefined || header === undefined) return;
    const { version } = versionOf(request);
    const [rendered] = await this.representations.renderAll(resource, version, [object as WireObject], tx);
    if (!namesEtag(header, etagOf(JSON.stringify(rendered)))) throw preconditionFailed();
  }

  /** For objects with their own type of tag (annotations). @throws ApiError 412 */
  requireTag(etag: string): void {
    const header = currentRequest()?.headers['if-match'];
    if (header !== undefined && !namesEtag(header, etag)) throw preconditionFailed();
  }
}

const preconditionFailed = (): ApiError =>
  new ApiError(412, { detail: 'The object has changed since it was read. Read it again and repeat the change.' });

/** Strong entity tag of a response body. */
export function etagOf(bytes: Buffer | string): string {
  return `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"`;
}

/** Whether an `If-Match` or `If-None-Match` header contains this tag. `W/` is ignored because all tags are strong. */
export function namesEtag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => part.trim().replace(/^W\//, '') === etag);
}

/** Whether this response has an entity tag: a single object, not a page of a list or a message. */
export const isSingleObject = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !Buffer.isBuffer(body) && !Array.isArray(body) && !('results' in body);
