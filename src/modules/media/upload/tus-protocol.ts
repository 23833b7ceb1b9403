import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import { InvalidString, UnsupportedMediaType } from '../../../core/http/errors.js';
import type { Actor } from '../../../shared/policy/actor.js';

/** Headers of every response to a resumable upload. */
export const tusHeaders = (maxBytes: number): Record<string, string> => ({
  'Tus-Resumable': '1.0.0',
  'Tus-Version': '1.0.0',
  'Tus-Extension': '',
  'Tus-Max-Size': String(maxBytes),
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'PATCH,HEAD,GET,POST,OPTIONS',
  'Access-Control-Expose-Headers': 'Tus-Resumable,upload-length,upload-metadata,Location,Upload-Offset',
  'Access-Control-Allow-Headers': 'Tus-Resumable,upload-length,upload-metadata,Location,Upload-Offset,content-type',
  'Cache-Control': 'no-store',
});

/**
 * Parses `Upload-Metadata`: keys with base64 values, separated by commas.
 * @throws InvalidString for a value that is not base64-encoded UTF-8
 */
export function readUploadMetadata(header: string): Map<string, string> {
  const pairs = header.split(',').flatMap((part): [string, string][] => {
    const [key = '', value = ''] = part.trim().split(/\s+/);
    return key === '' ? [] : [[key, decode(key, value)]];
  });
  return new Map(pairs);
}

/** @throws InvalidString unless it is an integer of at least `least` */
export function readByteCount(name: string, header: string | undefined, least: number): number {
  const count = /^\d{1,15}$/.test(header ?? '') ? Number(header) : -1;
  if (count < least) throw new InvalidString(`${name} must be a whole number of at least ${least}`);
  return count;
}

/** The wire id of an upload: the uploading user and the file. */
export const uploadKey = (userId: number, fileId: string): string => `${userId}_${fileId}`;

/** @returns null for an invalid id */
export function readUploadKey(key: string): { userId: number; fileId: string } | null {
  const match = /^(\d{1,10})_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i.exec(key);
  return match === null ? null : { userId: Number(match[1]), fileId: (match[2] ?? '').toLowerCase() };
}

function decode(key: string, base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  const padded = bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  const text = bytes.toString('utf8');
  if (!padded || text.includes('\ufffd') || text.includes('\0')) {
    throw new InvalidString(`The value of '${key}' in Upload-Metadata must be base64 of UTF-8`);
  }
  return text;
}

/** A request to upload a file. */
export interface Announcement {
  readonly actor: Actor;
  readonly request: Request;
  readonly response: Response;
  /** URL of the object's files; the new file has `/<key>` appended. */
  readonly collection: string;
}

/** Handles the headers of resumable uploads (TUS 1.0.0) for every route that accepts them. */
@Injectable()
export class TusEndpoint {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  discover(response: Response): void {
    for (const [name, value] of Object.entries(tusHeaders(this.config.limits.uploadBytes)))
      response.setHeader(name, value);
  }

  /** @param create reserves a file with the given number of bytes */
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

  /** @param append appends the body at an offset and returns the new offset */
  async append(request: Request, response: Response, append: (offset: number) => Promise<number>): Promise<void> {
    this.discover(response);
    const type = request.headers['content-type'] ?? '';
    if (type !== 'application/offset+octet-stream') throw new UnsupportedMediaType(type);
    const offset = readByteCount('Upload-Offset', request.header('upload-offset') ?? '0', 0);
    response.setHeader('Upload-Offset', String(await append(offset)));
  }
}

/** Node writes headers in Latin-1, so the text is converted to UTF-8 bytes, as other servers send them. */
const headerText = (text: string): string => Buffer.from(text.replace(/[\r\n]/g, ' ')).toString('latin1');
