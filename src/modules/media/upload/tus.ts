import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { posix } from 'node:path';
import { randomUUID } from 'node:crypto';
import { CONFIG, type Config } from '../../../config/config.js';
import {
  InvalidString,
  UnsupportedMediaType,
  ApiError,
  NotFound,
  Forbidden,
} from '../../../core/http/errors/errors.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { type ProcessLock, ProcessLocks } from '../../../core/database/process-locks.js';
import { fileTooLarge } from '../../../core/http/body/multipart.js';
import type { MediaPlace } from '../../../core/media-storage/media-place.js';
import { MediaStorage } from '../../../core/media-storage/media-storage.js';
import { FramesAhead } from '../frames-ahead.js';
import { MediaFolders, uploadedKey } from '../media-files.js';
import type { UploadRow } from './media-upload.repository.js';
import { TaskDataService } from './task-data.service.js';

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

/**
 * The name in the announcement of a file.
 * @param metadata the Upload-Metadata header
 * @param length of the file in bytes
 * @throws ApiError 413 if the file is too large, InvalidString if it has no name
 */
export function announcedName(metadata: string, length: number, maxBytes: number): string {
  if (length > maxBytes) throw fileTooLarge(maxBytes);
  const name = readUploadMetadata(metadata).get('filename');
  if (name === undefined) throw new InvalidString("Metadata is expected to contain 'filename' key");
  return name;
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
  const padded = bytes.toString('base64').replace(/(?<!=)=+$/, '') === base64.replace(/(?<!=)=+$/, '');
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

  /**
   * @param create reserves a file with the given number of bytes; `name` is what the client names it by in later requests
   */
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

/** An encoded word (RFC 2047), as CVAT sends it, because clients disagree on how to decode other bytes than ASCII. */
const headerText = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?b?${Buffer.from(text).toString('base64')}?=`;

/** A file that is uploaded in pieces. */
export interface GrowingFile {
  /** In the storage. */
  readonly key: string;
  /** Final size in bytes. */
  readonly length: number;
}

/** 409 without a body: the client requests the offset and retries. */
const conflict = (): ApiError => new ApiError(409, undefined);

/** The client is gone and does not read this response. It keeps a lost connection out of the error log. */
const brokenOff = (): ApiError => new ApiError(400, { detail: 'The body is incomplete.' });

/** A request whose body this process appends to a file. */
interface Writer {
  readonly body: Request;
  /** Resolves when it no longer writes. */
  readonly done: Promise<void>;
}

/**
 * Assembles files from pieces, which may be sent to different servers. The offset of a file is the size of what is stored.
 *
 * A client whose network failed resumes before the server notices that the connection is lost. So a new request for a
 * file ends the one that is still writing to it, if this process handles both.
 */
@Injectable()
export class PieceWriter {
  /** The last writer of each file, by key. */
  private readonly writers = new Map<string, Writer>();

  constructor(
    private readonly locks: ProcessLocks,
    private readonly storage: MediaStorage,
  ) {}

  /** Creates an empty file. */
  async create(key: string): Promise<void> {
    const { place } = await this.storage.placeOfUpload(key);
    await place.begin(key);
  }

  /** Ends the request that appends to the file. @throws NotFound for a file that was removed in the meantime */
  async received({ key }: GrowingFile): Promise<number> {
    await this.endWriter(key);
    return (await this.find(key)).bytes;
  }

  private async find(key: string): Promise<{ readonly place: MediaPlace; readonly bytes: number }> {
    const { place, bytes } = await this.storage.placeOfUpload(key);
    if (bytes === undefined && !place.growsFromNothing) throw new NotFound();
    return { place, bytes: bytes ?? 0 };
  }

  /**
   * Appends a piece. Bytes received before a lost connection are kept.
   * @returns the new offset
   * @throws ApiError 409 for a wrong offset or a second writer in another process, PlainError 413 beyond the length
   */
  async append(file: GrowingFile, offset: number, body: Request): Promise<number> {
    if (offset + Number(body.headers['content-length'] ?? 0) > file.length) throw fileTooLarge(file.length);
    const appended = this.endWriter(file.key).then(() => this.appendAlone(file, offset, body));
    const ignore = (): void => undefined;
    const writer = { body, done: appended.then(ignore, ignore) };
    this.writers.set(file.key, writer);
    try {
      return await appended;
    } finally {
      if (this.writers.get(file.key) === writer) this.writers.delete(file.key);
    }
  }

  /** Closes the connection of a request that sends a piece of the file, and waits until what it has sent is stored. */
  private async endWriter(key: string): Promise<void> {
    const writer = this.writers.get(key);
    if (writer === undefined) return;
    if (!writer.body.complete) writer.body.destroy();
    await writer.done;
  }

  private async appendAlone(file: GrowingFile, offset: number, body: Request): Promise<number> {
    // The lock uses the file name, since processes may mount the folder at different paths.
    const lock = await this.locks.take(`piece ${posix.basename(file.key)}`);
    if (lock === undefined) throw conflict();
    try {
      const { place, bytes } = await this.find(file.key);
      if (bytes !== offset) throw conflict();
      return await this.write(file, offset, { place, body, lock });
    } finally {
      await lock.release();
    }
  }

  private async write(
    { key, length }: GrowingFile,
    offset: number,
    { place, body, lock }: { readonly place: MediaPlace; readonly body: Request; readonly lock: ProcessLock },
  ): Promise<number> {
    try {
      // The request is not destroyed on an error: that would close the connection before the response.
      const pieces = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
      return await place.append(key, offset, pieces, (end) => {
        if (end > length) throw fileTooLarge(length);
        if (lock.isLost) throw conflict();
      });
    } catch (error) {
      body.resume();
      throw body.destroyed && !body.complete ? brokenOff() : error;
    }
  }
}

/** Uploads in pieces, across connections and restarts. The offset is the size of the file on disk. */
@Injectable()
export class TusService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly data: TaskDataService,
    private readonly storage: MediaStorage,
    private readonly folders: MediaFolders,
    private readonly ahead: FramesAhead,
    private readonly pieces: PieceWriter,
  ) {}

  /** Announces a file. @returns its id, and its name as sent */
  async create(
    actor: Actor,
    taskId: number,
    length: number,
    metadata: string,
  ): Promise<{ fileId: string; name: string }> {
    const name = announcedName(metadata, length, this.config.limits.uploadBytes);
    const fileId = randomUUID();
    await this.pieces.create(uploadedKey(fileId));
    try {
      await this.data.announce(actor, taskId, { fileId, name, bytes: length });
    } catch (error) {
      await this.folders.removeUploads([fileId]);
      throw error;
    }
    return { fileId, name };
  }

  /**
   * How much of a file has been received. If the server was killed after the last piece, the file is completed here: its
   * client has nothing to send any more.
   * @throws NotFound, Forbidden
   */
  async state(actor: Actor, taskId: number, key: string): Promise<{ offset: number; length: number }> {
    const upload = await this.find(actor, taskId, key);
    const offset = await this.pieces.received(this.fileOf(upload));
    if (offset === upload.length) await this.complete(upload);
    return { offset, length: upload.length };
  }

  /**
   * Appends a piece. Bytes received before a lost connection are kept.
   * @returns the new offset
   * @throws NotFound, Forbidden, ApiError 409 for a wrong offset or a second writer in another process, PlainError 413
   *   beyond the length
   */
  async append(actor: Actor, taskId: number, key: string, offset: number, body: Request): Promise<number> {
    const upload = await this.find(actor, taskId, key);
    const reached = await this.pieces.append(this.fileOf(upload), offset, body);
    if (reached === upload.length) await this.complete(upload);
    return reached;
  }

  /** Removes everything the actor has uploaded or started to upload. */
  async discard(actor: Actor, taskId: number): Promise<void> {
    await this.folders.removeUploads(await this.data.discard(actor, taskId));
  }

  private async find(actor: Actor, taskId: number, key: string): Promise<UploadRow> {
    const known = readUploadKey(key);
    if (known === null) throw new NotFound();
    if (known.userId !== actor.id) throw new Forbidden();
    return this.data.requireUpload(actor, taskId, known.fileId);
  }

  private fileOf(upload: UploadRow): GrowingFile {
    return { key: uploadedKey(upload.file_id), length: upload.length };
  }

  private async complete(upload: UploadRow): Promise<void> {
    if (!(await this.data.complete(upload))) return this.folders.removeUploads([upload.file_id]);
    const file = await this.storage.inFolder(uploadedKey(upload.file_id));
    if (file !== undefined) this.ahead.take(file, upload.name);
  }
}
