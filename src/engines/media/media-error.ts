import { isNativeError } from 'node:util/types';

/**
 * Media that cannot be used because they are wrong, broken, unsafe or too large. Clients receive the message as that of
 * the failed request (without the final newline). It is formatted as a Python exception line, as CVAT's clients expect,
 * and names the file.
 */
export class MediaError extends Error {
  override name = 'MediaError';
}

/** The disk is full. This is not the client's fault: the same request may succeed later. */
export class MediaStorageFull extends Error {
  override name = 'MediaStorageFull';
}

/** The storage of media does not respond or refuses access. The same request may succeed later. */
export class MediaStorageUnavailable extends Error {
  override name = 'MediaStorageUnavailable';
}

/** Creates the error for a file that does not exist, or was announced but not uploaded. */
export function missingFile(name: string, cause?: unknown): MediaError {
  return new MediaError(`FileNotFoundError: [Errno 2] No such file or directory: ${quoted(name)}`, { cause });
}

/** Creates the error for a file that is not an image. */
export function brokenImage(name: string, cause?: unknown): MediaError {
  return new MediaError(`PIL.UnidentifiedImageError: cannot identify image file ${quoted(name)}`, { cause });
}

/** Creates the error for an image of a known format that cannot be decoded. */
export function unreadableImage(name: string, cause?: unknown): MediaError {
  const text = `OSError: image file ${quoted(name)} is truncated, damaged, or of a variant that cannot be read`;
  return new MediaError(text, { cause });
}

/** Creates the error for a parameter that does not fit the files, which is known only after reading them. */
export function validationFailure(text: string): MediaError {
  return new MediaError(
    `rest_framework.exceptions.ValidationError: [ErrorDetail(string=${quoted(text)}, code='invalid')]`,
  );
}

/** Quotes a text like Python's `repr`. Escapes control characters, so the result is one line. */
export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\\p{Cc}\u2028\u2029]/gu, escape).replaceAll(quote, `\\${quote}`);
  return quote + body + quote;
}

/** Converts "no space left" to {@link MediaStorageFull}; returns all other errors unchanged. */
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
