import { isNativeError } from 'node:util/types';

/**
 * Media that cannot be used: wrong, broken, unsafe or too large. The message is what the client reads as the message
 * of the failed request (without the final newline): an exception line as CVAT's clients know it, naming the file.
 */
export class MediaError extends Error {
  override name = 'MediaError';
}

/** The disk is full. Not the client's fault: the same request may succeed later. */
export class MediaStorageFull extends Error {
  override name = 'MediaStorageFull';
}

/** The error for a file that is not there, or was announced and did not come. */
export function missingFile(name: string, cause?: unknown): MediaError {
  return new MediaError(`FileNotFoundError: [Errno 2] No such file or directory: ${quoted(name)}`, { cause });
}

/** The error for a file that is no image, or whose pixels end early. */
export function brokenImage(name: string, cause?: unknown): MediaError {
  return new MediaError(`PIL.UnidentifiedImageError: cannot identify image file ${quoted(name)}`, { cause });
}

/** The error for a parameter that turns out wrong only once the files are known. */
export function validationFailure(text: string): MediaError {
  return new MediaError(
    `rest_framework.exceptions.ValidationError: [ErrorDetail(string=${quoted(text)}, code='invalid')]`,
  );
}

/** Text in quotes the way Python's `repr` writes it; control characters are escaped, so the result is one line. */
export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\\p{Cc}\u2028\u2029]/gu, escape).replaceAll(quote, `\\${quote}`);
  return quote + body + quote;
}

/** Turns "no space left" into {@link MediaStorageFull}; every other error stays what it is. */
export function storageError(error: unknown): unknown {
  const code = errorCode(error);
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new MediaStorageFull('The server has no disk space left for media', { cause: error });
}

/** The code of an error of Node or the system (`ENOENT`, …). */
export function errorCode(error: unknown): unknown {
  return isNativeError(error) && 'code' in error ? error.code : undefined;
}

const shortEscapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escape(character: string): string {
  const code = character.charCodeAt(0);
  return shortEscapes[character] ?? (code < 256 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
