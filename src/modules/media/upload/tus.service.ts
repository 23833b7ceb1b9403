import { randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { ApiError, Forbidden, InvalidString, NotFound } from '../../../core/http/errors.js';
import type { Actor } from '../../../policy/actor.js';
import { MediaFolders } from '../media-folders.js';
import { MediaUploadRepository, type UploadRow } from './media-upload.repository.js';
import { fileTooLarge } from './multipart.js';
import { TaskDataService } from './task-data.service.js';
import { readUploadKey, readUploadMetadata } from './tus-protocol.js';

/** 409 without a body: the client asks for the offset and tries again. */
const conflict = (): ApiError => new ApiError(409, undefined);

/** Nobody reads this answer; it keeps a lost connection out of the log of errors. */
const brokenOff = (): ApiError => new ApiError(400, { detail: 'The body could not be read to its end.' });

/** Files that come in pieces, over several connections and restarts. The offset is the size of the file on disk. */
@Injectable()
export class TusService {
  private readonly busy = new Set<string>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(Db) private readonly db: Db,
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(TaskDataService) private readonly data: TaskDataService,
    @Inject(MediaUploadRepository) private readonly uploads: MediaUploadRepository,
    @Inject(MediaFolders) private readonly folders: MediaFolders,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** Announces a file. @returns its id, and its name as it was sent */
  async create(
    actor: Actor,
    taskId: number,
    length: number,
    metadata: string,
  ): Promise<{ fileId: string; name: string }> {
    if (length > this.config.limits.uploadBytes) throw fileTooLarge(this.config.limits.uploadBytes);
    const name = readUploadMetadata(metadata).get('filename');
    if (name === undefined) throw new InvalidString("Metadata is expected to contain 'filename' key");
    const fileId = randomUUID();
    const file = await open(this.folders.upload(fileId), 'wx');
    await file.close();
    try {
      await this.data.announce(actor, taskId, { fileId, name, bytes: length });
    } catch (error) {
      await this.folders.removeUploads([fileId]);
      throw error;
    }
    return { fileId, name };
  }

  /** How much of a file has arrived. @throws NotFound, Forbidden */
  async state(actor: Actor, taskId: number, key: string): Promise<{ offset: number; length: number }> {
    const upload = await this.find(actor, taskId, key);
    return { offset: await this.received(upload), length: upload.length };
  }

  /**
   * Adds a piece. What arrived before the connection broke stays.
   * @returns the new offset
   * @throws NotFound, Forbidden, ApiError 409 for a wrong offset or a second writer, PlainError 413 beyond the length
   */
  async append(actor: Actor, taskId: number, key: string, offset: number, body: Request): Promise<number> {
    const upload = await this.find(actor, taskId, key);
    if (offset + Number(body.headers['content-length'] ?? 0) > upload.length) throw fileTooLarge(upload.length);
    if (this.busy.has(upload.file_id)) throw conflict();
    this.busy.add(upload.file_id);
    try {
      if ((await this.received(upload)) !== offset) throw conflict();
      const reached = await this.write(upload, offset, body);
      if (reached === upload.length) await this.complete(upload);
      return reached;
    } finally {
      this.busy.delete(upload.file_id);
    }
  }

  private async find(actor: Actor, taskId: number, key: string): Promise<UploadRow> {
    const known = readUploadKey(key);
    if (known === null) throw new NotFound();
    if (known.userId !== actor.id) throw new Forbidden();
    const upload = await this.uploads.unfinished(this.db, taskId, known.fileId);
    if (upload === undefined) throw new NotFound();
    if (upload.user_id !== actor.id) throw new Forbidden();
    return upload;
  }

  private async received(upload: UploadRow): Promise<number> {
    return (await stat(this.folders.upload(upload.file_id))).size;
  }

  /** Synchronised to disk before it is acknowledged. */
  private async write(upload: UploadRow, offset: number, body: Request): Promise<number> {
    const file = await open(this.folders.upload(upload.file_id), 'r+');
    let at = offset;
    try {
      // Not destroyed on an error: that would cut the connection before the answer.
      for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (at + piece.length > upload.length) throw fileTooLarge(upload.length);
        await file.write(piece, 0, piece.length, at);
        at += piece.length;
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

  private async complete(upload: UploadRow): Promise<void> {
    const kept = await this.work.run((tx) => this.uploads.complete(tx, upload, this.clock.now()));
    if (!kept) await this.folders.removeUploads([upload.file_id]);
  }
}
