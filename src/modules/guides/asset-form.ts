import type { Readable } from 'node:stream';
import busboy from 'busboy';
import type { Request } from 'express';
import { ApiError, Invalid, UnsupportedMediaType } from '../../core/http/errors.js';
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
  fieldNameSize: 1000,
};

/**
 * Reads the form of a new asset into memory, which its size limit allows.
 * @throws UnsupportedMediaType for any other body, Invalid for a file that is too large, ApiError 400 for a broken form
 */
export function readAssetForm(request: Request): Promise<AssetForm> {
  const type = request.headers['content-type'] ?? '';
  if (type.split(';')[0]?.trim().toLowerCase() !== 'multipart/form-data') throw new UnsupportedMediaType(type);
  return new Promise((resolve, reject) => {
    const parser = openParser(request);
    let guideId = '';
    let file: { name: string; chunks: Buffer[] } | undefined;
    // Not a pipeline: that would cut the connection on an error, and the client could not read why.
    const fail = (error: Error): void => {
      request.unpipe(parser);
      request.resume();
      parser.destroy();
      reject(error);
    };
    parser.on('field', (name, value) => {
      if (name === 'guide_id') guideId = value.trim();
    });
    parser.on('file', (name, stream: Readable, info) => {
      if (name !== 'file' || file !== undefined) {
        stream.resume();
        return;
      }
      const taken = { name: fileName(info.filename), chunks: [] as Buffer[] };
      file = taken;
      stream.on('data', (chunk: Buffer) => taken.chunks.push(chunk));
      stream.on('error', fail);
      stream.on('limit', () => process.nextTick(fail, tooLarge())); // the parser is still at work on this piece
    });
    parser.on('error', (error) => fail(brokenForm(error)));
    parser.on('close', () =>
      resolve({ guideId, file: file && { name: file.name, content: Buffer.concat(file.chunks) } }),
    );
    request.on('close', () => {
      if (!request.complete) fail(brokenForm('Unexpected end'));
    });
    request.pipe(parser);
  });
}

function openParser(request: Request): busboy.Busboy {
  try {
    return busboy({ headers: request.headers, defParamCharset: 'utf8', limits: LIMITS });
  } catch (error) {
    throw brokenForm(error);
  }
}

const tooLarge = (): Invalid => new Invalid({ file: [`Maximum size of asset is ${MAX_ASSET_MEGABYTES} MB`] });

/** One line without control characters; the parser has left only the last part of a path. */
function fileName(sent: string | undefined): string {
  const name = (sent ?? '').replaceAll(/\p{Cc}/gu, '').trim();
  return [...name].slice(0, MAX_FILENAME).join('') || 'asset';
}

function brokenForm(cause: unknown): ApiError {
  const what = cause instanceof Error ? cause.message : String(cause);
  return new ApiError(400, { detail: `Multipart form parse error - ${what}` });
}
