import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import { Db } from '../../../core/database/db.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { Forbidden, InvalidString, NotFound } from '../../../core/http/errors.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { FramesAhead } from '../frames-ahead.js';
import { MediaFolders } from '../media-folders.js';
import { MediaUploadRepository, type UploadRow } from './media-upload.repository.js';
import { fileTooLarge } from '../../../core/http/multipart.js';
import { type GrowingFile, PieceWriter } from './piece-writer.js';
import { TaskDataService } from './task-data.service.js';
import { readUploadKey, readUploadMetadata } from './tus-protocol.js';

/** Uploads in pieces, across connections and restarts. The offset is the size of the file on disk. */
@Injectable()
export class TusService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly data: TaskDataService,
    private readonly uploads: MediaUploadRepository,
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
    if (length > this.config.limits.uploadBytes) throw fileTooLarge(this.config.limits.uploadBytes);
    const name = readUploadMetadata(metadata).get('filename');
    if (name === undefined) throw new InvalidString("Metadata is expected to contain 'filename' key");
    const fileId = randomUUID();
    await this.folders.makeUploads();
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

  /** How much of a file has been received. @throws NotFound, Forbidden */
  async state(actor: Actor, taskId: number, key: string): Promise<{ offset: number; length: number }> {
    const upload = await this.find(actor, taskId, key);
    return { offset: await this.pieces.received(this.fileOf(upload)), length: upload.length };
  }

  /**
   * Appends a piece. Bytes received before a lost connection are kept.
   * @returns the new offset
   * @throws NotFound, Forbidden, ApiError 409 for a wrong offset or a second writer, PlainError 413 beyond the length
   */
  async append(actor: Actor, taskId: number, key: string, offset: number, body: Request): Promise<number> {
    const upload = await this.find(actor, taskId, key);
    const reached = await this.pieces.append(this.fileOf(upload), offset, body);
    if (reached === upload.length) await this.complete(upload);
    return reached;
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

  private fileOf(upload: UploadRow): GrowingFile {
    return { path: this.folders.upload(upload.file_id), length: upload.length };
  }

  private async complete(upload: UploadRow): Promise<void> {
    const kept = await this.work.run((tx) => this.uploads.complete(tx, upload, tx.now));
    if (kept) this.ahead.take(this.folders.upload(upload.file_id), upload.name);
    else await this.folders.removeUploads([upload.file_id]);
  }
}
