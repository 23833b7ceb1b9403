import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { Inject, Injectable, type Type } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../config/config.js';
import { parseJsonObject, readBytes, Unvalidated } from '../../core/http/body.js';
import { Invalid, PlainError, UnsupportedMediaType } from '../../core/http/errors.js';
import { readFormFields } from '../../core/http/form-fields.js';
import { readMultipart } from '../../core/http/multipart.js';

/** Reads request bodies for cloud storages, as JSON or as a form. */
@Injectable()
export class CloudStorageBody {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** @throws ApiError 400, 413, UnsupportedMediaType */
  async read<T extends object>(request: Request, response: Response, type: Type<T>): Promise<Unvalidated<T>> {
    const contentType = request.headers['content-type'] ?? '';
    const mime = contentType.split(';')[0]?.trim().toLowerCase();
    if (mime === 'multipart/form-data') return new Unvalidated(await this.readForm(request), type);
    const bytes = await readBytes(request, response, this.config.limits.jsonBytes);
    if (bytes.length === 0) return new Unvalidated({}, type);
    if (mime !== 'application/json') throw new UnsupportedMediaType(contentType);
    return new Unvalidated(await parseJsonObject(bytes), type);
  }

  /** Ignores files in the form: they belong to providers that are not supported. */
  private async readForm(request: Request): Promise<Record<string, unknown>> {
    const { fields } = await readMultipart(request, {
      folder: tmpdir(),
      newId: randomUUID,
      isFile: () => false,
      maxFileBytes: 1,
      maxFieldBytes: this.config.limits.jsonBytes,
    });
    return readFormFields(fields);
  }
}

/** Reports errors of a creation as lines of text, `field: sentence`, as clients of the contract display them. */
export async function inLines<T>(create: () => Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const lines = Object.entries(error.body as Record<string, unknown>).map(([field, problem]) => {
      const texts = Array.isArray(problem) ? problem.map(String) : [JSON.stringify(problem)];
      return `${field}: ${escapeHtml(texts.join(' '))}\n`;
    });
    throw new PlainError(400, lines.join(''));
  }
}

/** Clients receive plain texts as HTML. */
const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
