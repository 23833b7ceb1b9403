import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { type ProcessLock, ProcessLocks } from '../../../core/database/process-locks.js';
import { ApiError, NotFound } from '../../../core/http/errors.js';
import { fileTooLarge } from '../../../core/http/multipart.js';
import { errorCode } from '../../../engines/media/media-error.js';
import { freeMemory } from '../../../engines/memory/free-memory.js';

/** A file that comes in pieces. */
export interface GrowingFile {
  readonly path: string;
  /** Bytes that it will have. */
  readonly length: number;
}

/** 409 without a body: the client asks for the offset and tries again. */
const conflict = (): ApiError => new ApiError(409, undefined);

/** Nobody reads this answer; it keeps a lost connection out of the log of errors. */
const brokenOff = (): ApiError => new ApiError(400, { detail: 'The body could not be read to its end.' });

/** Puts the pieces of files together. How far a file has come is its size on disk. */
@Injectable()
export class PieceWriter {
  constructor(private readonly locks: ProcessLocks) {}

  /** @throws NotFound for a file that was given up meanwhile */
  async received(file: GrowingFile): Promise<number> {
    try {
      return (await stat(file.path)).size;
    } catch (error) {
      throw errorCode(error) === 'ENOENT' ? new NotFound() : error;
    }
  }

  /**
   * Adds a piece. What arrived before the connection broke stays.
   * @returns the new offset
   * @throws ApiError 409 for a wrong offset or a second writer, PlainError 413 beyond the length
   */
  async append(file: GrowingFile, offset: number, body: Request): Promise<number> {
    if (offset + Number(body.headers['content-length'] ?? 0) > file.length) throw fileTooLarge(file.length);
    // By its name, for the folder may have another path for each process.
    const lock = await this.locks.take(`piece ${basename(file.path)}`);
    if (lock === undefined) throw conflict();
    try {
      if ((await this.received(file)) !== offset) throw conflict();
      return await this.write(file, offset, { body, lock });
    } finally {
      await lock.release();
    }
  }

  /** Synchronised to disk before it is acknowledged. */
  private async write(
    { path, length }: GrowingFile,
    offset: number,
    { body, lock }: { readonly body: Request; readonly lock: ProcessLock },
  ): Promise<number> {
    const file = await open(path, 'r+');
    let at = offset;
    try {
      // Not destroyed on an error: that would cut the connection before the answer.
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
