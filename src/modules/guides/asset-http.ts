import { Injectable, type PipeTransform } from '@nestjs/common';
import type { Request } from 'express';
import { contentDisposition } from '../../core/http/response/content-disposition.js';
import { Invalid, NotFound, UnsupportedMediaType } from '../../core/http/errors/errors.js';
import { isForm } from '../../core/http/body/body.js';
import { baseName, parseForm } from '../../core/http/body/form-parser.js';
import { MAX_ASSET_MEGABYTES, MAX_FILENAME } from './guide.dto.js';

export interface AssetForm {
  readonly guideId: string;
  /** Undefined if none was sent. */
  readonly file: { readonly name: string; readonly content: Buffer } | undefined;
}

const LIMITS = {
  fileSize: MAX_ASSET_MEGABYTES * 2 ** 20 + 1, // the parser stops at its limit: the first size that is too large
  files: 10,
  fields: 100,
  fieldSize: 1000,
};

/**
 * Reads the form of a new asset into memory. Its size limit is small.
 * @throws UnsupportedMediaType for any other body, Invalid for a file that is too large, ApiError 400 for a broken form
 */
export async function readAssetForm(request: Request): Promise<AssetForm> {
  if (!isForm(request)) throw new UnsupportedMediaType(request.headers['content-type'] ?? '');
  let guideId = '';
  let file: { name: string; chunks: Buffer[] } | undefined;
  await parseForm(request, LIMITS, {
    onField: (name, value) => {
      if (name === 'guide_id') guideId = value.trim();
    },
    onFile: (field, stream, filename, fail) => {
      if (field !== 'file' || file !== undefined) return false;
      const taken = { name: fileName(filename), chunks: [] as Buffer[] };
      file = taken;
      stream.on('data', (chunk: Buffer) => taken.chunks.push(chunk));
      stream.on('limit', () => fail(tooLarge()));
      return true;
    },
  });
  return { guideId, file: file && { name: file.name, content: Buffer.concat(file.chunks) } };
}

const tooLarge = (): Invalid => new Invalid({ file: [`Maximum size of asset is ${MAX_ASSET_MEGABYTES} MB`] });

/** The last segment of a path, on one line and without control characters. */
function fileName(sent: string | undefined): string {
  const name = baseName(sent)
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
  return /^\.{0,2}$/.test(name) ? 'asset' : [...name].slice(0, MAX_FILENAME).join('');
}

/** `Content-Disposition` of a file that browsers may show. */
export const inline = (filename: string): string => contentDisposition('inline', filename);

/**
 * `Content-Security-Policy` of an uploaded file: it may neither run nor load anything. Browsers do not show PDF documents in
 * a sandbox; their PDF viewers are sandboxed themselves.
 */
export const securityPolicyFor = (type: string): string =>
  type === 'application/pdf' ? "default-src 'none'; object-src 'self'" : "default-src 'none'; sandbox";

const UUID = /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i;

/** Parses a UUID in a path into its canonical form. @throws NotFound for anything else */
@Injectable()
export class UuidPipe implements PipeTransform<string, string> {
  transform(text: string): string {
    if (!UUID.test(text)) throw new NotFound();
    const digits = text.replaceAll('-', '').toLowerCase();
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}
