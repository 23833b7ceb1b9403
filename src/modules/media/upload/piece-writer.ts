import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { type ProcessLock, ProcessLocks } from '../../../core/database/process-locks.js';
import { ApiError, NotFound } from '../../../core/http/errors.js';
import { fileTooLarge } from '../../../core/http/multipart.js';
import { errorCode } from '../../../engines/media/media-error.js';
import { freeMemory } from '../../../engines/memory/free-memory.js';

/** A file that is uploaded in pieces. */
export interface GrowingFile {
  readonly path: string;
  /** Final size in bytes. */
  readonly length: number;
}

/** 409 without a body: the client requests the offset and retries. */
const conflict = (): ApiError => new ApiError(409, undefined);

/** The client is gone and does not read this response. It keeps a lost connection out of the error log. */
const brokenOff = (): ApiError => new ApiError(400, { detail: 'The body could not be read to its end.' });

/** Assembles files from pieces. The offset of a file is its size on disk. */
@Injectable()
export class PieceWriter {
  constructor(private readonly locks: ProcessLocks) {}

  /** @throws NotFound for a file that was removed in the meantime */
  async received(file: GrowingFile): Promise<number> {
    try {
      return (await stat(file.path)).size;
    } catch (error) {
      throw errorCode(error) === 'ENOENT' ? new NotFound() : error;
    }
  }

  /**
   * Appends a piece. Bytes received before a lost connection are kept.
   * @returns the new offset
   * @throws ApiError 409 for a wrong offset or a second writer, PlainError 413 beyond the length
   */
  async append(file: GrowingFile, offset: number, body: Request): Promise<number> {
    if (offset + Number(body.headers['content-length'] ?? 0) > file.length) throw fileTooLarge(file.length);
    // The lock uses the file name, since processes may mount the folder at different paths.
    const lock = await this.locks.take(`piece ${basename(file.path)}`);
    if (lock === undefined) throw conflict();
    try {
      if ((await this.received(file)) !== offset) throw conflict();
      return await this.write(file, offset, { body, lock });
    } finally {
      await lock.release();
    }
  }

  /** Synchronizes the file to disk before the client gets a response. */
  private async write(
    { path, length }: GrowingFile,
    offset: number,
    { body, lock }: { readonly body: Request; readonly lock: ProcessLock },
  ): Promise<number> {
    const file = await open(path, 'r+');
    let at = offset;
    try {
      // The request is not destroyed on an error: that would close the connection before the response.
      for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (at + piece.length > length) throw fileTooLarge(length);
        if (lock.isLost) throw conflict();
        await file.write(piece, 0, piece.length, at);
        at += piece.length;
        freeMemory(piece);
      }
      return at;
    } catch (error) {
      body.resume();
      throw body.destroyed && !body.complete ? brokenOff() : error;
    } finally {
      await file.datasync();
      await file.close();
    }
  }
}
