import type { Readable } from 'node:stream';
import busboy from 'busboy';
import type { Request } from 'express';
import { ApiError } from '../errors/errors.js';

/** Receives the parts of a form in order. An error that it throws fails the form. */
export interface FormHandler {
  onField(name: string, value: string): void;
  /**
   * Returns false to skip the file. Otherwise it must consume the stream, which emits an error if the form breaks off.
   */
  onFile(field: string, stream: FileStream, filename: string | undefined, fail: (error: unknown) => void): boolean;
}

/** `truncated` is set when the content reaches the size limit. */
export type FileStream = Readable & { readonly truncated?: boolean };

export interface FormLimits extends busboy.Limits {
  readonly files: number;
  readonly fields: number;
}

/**
 * Parses a form and passes its parts to the handler. Parts without a name are skipped, as in the contract. Every error
 * rejects the promise: an error thrown in an event handler could not be caught.
 * @throws ApiError 400 for a malformed form, 413 for too many parts; errors of the handler
 */
export function parseForm(request: Request, limits: FormLimits, handler: FormHandler): Promise<void> {
  return new Promise((resolve, reject) => {
    const parser = openParser(request, limits);
    let failed = false;
    // A pipeline would close the connection on an error, so that the client could not read the response.
    const fail = (error: unknown): void => {
      if (failed) return;
      failed = true;
      reject(error instanceof Error ? error : new Error(String(error)));
      // The parser reads its own state after emitting an event, so it is destroyed after the current chunk.
      process.nextTick(() => {
        request.unpipe(parser);
        request.resume();
        parser.destroy();
      });
    };
    const attempt = (step: () => void): void => {
      try {
        if (!failed) step();
      } catch (error) {
        fail(error);
      }
    };
    parser.on('field', (name: string | undefined, value: string | undefined) =>
      attempt(() => {
        if (value === undefined) throw brokenForm(`The charset of the field "${name ?? ''}" is unknown.`);
        if (name !== undefined) handler.onField(name, value);
      }),
    );
    parser.on('file', (field: string | undefined, stream: FileStream, info) => {
      stream.on('error', () => undefined); // the parser emits the same error
      let isTaken = false;
      attempt(() => {
        isTaken = field !== undefined && handler.onFile(field, stream, info.filename, fail);
      });
      if (!isTaken) stream.resume();
    });
    parser.on('filesLimit', () => fail(tooMany(`${limits.files} files`)));
    parser.on('fieldsLimit', () => fail(tooMany(`${limits.fields} fields`)));
    parser.on('error', (error) => fail(brokenForm(error)));
    parser.on('close', resolve);
    const closed = (): void => {
      if (!request.readableEnded) fail(brokenForm('Unexpected end'));
    };
    request.on('close', closed);
    if (request.destroyed)
      closed(); // the client disconnected before the listeners were added
    else request.pipe(parser);
  });
}

function openParser(request: Request, limits: FormLimits): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      preservePath: true, // otherwise the parser reduces a name such as ".." to an empty one
      limits: { fieldNameSize: 1000, ...limits },
    });
  } catch (error) {
    throw brokenForm(error);
  }
}

/** The last segment of a path with slashes or backslashes. */
export const baseName = (path: string | undefined = ''): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

const tooMany = (parts: string): ApiError => new ApiError(413, { detail: `The form contains more than ${parts}.` });

function brokenForm(cause: unknown): ApiError {
  const what = cause instanceof Error ? cause.message : String(cause);
  return new ApiError(400, { detail: `Multipart form parse error - ${what}` });
}
