import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import { parseJsonObject, readBytes } from '../../../core/http/body.js';
import { UnsupportedMediaType } from '../../../core/http/errors.js';
import { FramesAhead } from '../frames-ahead.js';
import { MediaFolders } from '../media-folders.js';
import { readFormFields } from '../../../core/http/form-fields.js';
import { discardFiles, readMultipart, type SentFile } from '../../../core/http/multipart.js';

/** The parameters and files of one request. */
export interface SentBody {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly files: readonly SentFile[];
}

const isClientFile = (field: string): boolean => /^client_files(\[\d{1,9}\])?$/.test(field);

/** Reads requests with task data, as JSON or as a form with files. */
@Injectable()
export class BodyReader {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly folders: MediaFolders,
    private readonly ahead: FramesAhead,
  ) {}

  /**
   * Reads the body and passes it to `use`. If that fails, deletes the files.
   * @throws ApiError 400, 413, UnsupportedMediaType
   */
  async with<T>(request: Request, response: Response, use: (body: SentBody) => Promise<T>): Promise<T> {
    const body = await this.read(request, response);
    try {
      return await use(body);
    } catch (error) {
      await discardFiles(this.folders.uploads, body.files);
      throw error;
    }
  }

  private async read(request: Request, response: Response): Promise<SentBody> {
    const type = request.headers['content-type'] ?? '';
    const mime = type.split(';')[0]?.trim().toLowerCase();
    if (mime === 'multipart/form-data') return this.readForm(request);
    const bytes = await readBytes(request, response, this.config.limits.jsonBytes);
    if (bytes.length === 0) return { parameters: {}, files: [] };
    if (mime !== 'application/json') throw new UnsupportedMediaType(type);
    return { parameters: await parseJsonObject(bytes), files: [] };
  }

  private async readForm(request: Request): Promise<SentBody> {
    const { limits } = this.config;
    const { fields, files } = await readMultipart(request, {
      folder: await this.folders.makeUploads(),
      newId: randomUUID,
      isFile: isClientFile,
      onFile: ({ name, fileId }) => this.ahead.take(this.folders.upload(fileId), name),
      maxFileBytes: limits.uploadBytes,
      maxFieldBytes: limits.jsonBytes,
    });
    return { parameters: readFormFields(fields), files };
  }
}
