import type { Request } from 'express';
import { Invalid, UnsupportedMediaType } from '../../core/http/errors.js';
import { baseName, parseForm } from '../../core/http/form-parser.js';
import { MAX_ASSET_MEGABYTES, MAX_FILENAME } from './asset.dto.js';

export interface AssetForm {
  readonly guideId: string;
  /** Undefined when none was sent. */
  readonly file: { readonly name: string; readonly content: Buffer } | undefined;
}

const LIMITS = {
  fileSize: MAX_ASSET_MEGABYTES * 2 ** 20 + 1, // the parser's limit is the first size that is too large
  files: 10,
  fields: 100,
  fieldSize: 1000,
};

/**
 * Reads the form of a new asset into memory, which its size limit allows.
 * @throws UnsupportedMediaType for any other body, Invalid for a file that is too large, ApiError 400 for a broken form
 */
export async function readAssetForm(request: Request): Promise<AssetForm> {
  const type = request.headers['content-type'] ?? '';
  if (type.split(';')[0]?.trim().toLowerCase() !== 'multipart/form-data') throw new UnsupportedMediaType(type);
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

/** The last part of a path, as one line without control characters. */
function fileName(sent: string | undefined): string {
  const name = baseName(sent)
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
  return /^\.{0,2}$/.test(name) ? 'asset' : [...name].slice(0, MAX_FILENAME).join('');
}
