import { createWriteStream } from 'node:fs';
import { pipeline as pipelineOf, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isOfDisk } from '../files/disk-error.js';
import { replaceFile } from '../files/replace-file.js';
import { ObjectStorageError } from './object-storage-error.js';

export interface ObjectPage {
  /** Common prefixes of keys up to and including the next `/`. */
  readonly folders: readonly string[];
  readonly keys: readonly string[];
  /** Token for the next page; null on the last one. */
  readonly next: string | null;
}

export interface ReadOptions {
  /** Maximum number of bytes. */
  readonly most: number;
  /** Number of bytes to read from the beginning. Default: all. */
  readonly first?: number;
}

export interface UploadOptions {
  readonly signal?: AbortSignal;
  /** 0 to 1. */
  readonly onProgress?: (done: number) => void;
  /** Larger files are uploaded in parts of this many bytes. A provider may have a minimum. */
  readonly partBytes?: number;
}

/** A bucket or container of any provider. All methods throw ObjectStorageError. */
export interface Bucket {
  /** Checks that the bucket exists and can be used. @throws ObjectStorageError not-found, forbidden, unreachable, failed */
  check(): Promise<void>;
  /** Whether an object exists. @throws ObjectStorageError for any other problem than its absence */
  has(key: string): Promise<boolean>;
  /**
   * Lists the keys directly below a prefix.
   * @param size up to 1000
   * @param next from the previous page; null for the first
   */
  list(prefix: string, size: number, next: string | null): Promise<ObjectPage>;
  /** Yields all keys with a prefix, in order, except those of folders, which end with `/`. */
  keys(prefix: string, signal: AbortSignal): AsyncGenerator<string>;
  /** Reads an object, or its first bytes. @throws ObjectStorageError, also above `most` bytes */
  read(key: string, options: ReadOptions): Promise<Buffer>;
  /**
   * Downloads an object to a file, which appears when it is complete. @throws ObjectStorageError; errors of the disk;
   * the signal's reason
   */
  download(key: string, target: string, most: number, signal: AbortSignal): Promise<void>;
  /**
   * Creates or replaces an object of any size. It appears when the whole file has been received.
   * @throws ObjectStorageError; the signal's reason
   */
  upload(key: string, file: string, options?: UploadOptions): Promise<void>;
}

const tooLarge = (key: string, most: number): ObjectStorageError =>
  new ObjectStorageError('failed', `${key} is larger than ${most} bytes`);

/** Reads the body of an object. @throws ObjectStorageError above `most` bytes; errors of the stream */
export async function collectBody(key: string, body: Readable, { most, first }: ReadOptions): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (first !== undefined && bytes >= first) break; // a server may ignore ranges
    if (bytes > most) throw tooLarge(key, most);
  }
  return Buffer.concat(parts);
}

const NO_SUCH_RANGE = 416;

/** The HTTP status in an error of Google, Azure and Amazon. */
interface ProviderError {
  readonly code?: unknown;
  readonly statusCode?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown };
}

/** Reads nothing from an empty object, which has no range to read the first bytes from. */
export async function unlessEmpty({ first }: ReadOptions, read: () => Promise<Buffer>): Promise<Buffer> {
  try {
    return await read();
  } catch (error) {
    const { code, statusCode, $metadata } = error as ProviderError;
    const isEmpty = [Number(code), statusCode, $metadata?.httpStatusCode].includes(NO_SUCH_RANGE);
    if (first !== undefined && isEmpty) return Buffer.alloc(0);
    throw error;
  }
}

/**
 * Writes the body of an object to a file, which appears when it is complete.
 * @throws ObjectStorageError above `most` bytes; errors of the stream and of the disk
 */
export async function saveBody(
  key: string,
  body: Readable,
  { target, most, signal }: { readonly target: string; readonly most: number; readonly signal: AbortSignal },
): Promise<void> {
  let bytes = 0;
  const counter = new Transform({
    transform(piece: Buffer, _, done) {
      bytes += piece.length;
      if (bytes > most) done(tooLarge(key, most));
      else done(null, piece);
    },
  });
  await replaceFile(target, (part) => pipeline(body, counter, createWriteStream(part), { signal }));
}

/** Passes a stream on, and fails when nothing has come for the given time. */
export function unlessIdle(source: Readable, timeoutMs: number): Readable {
  const timer = setTimeout(() => {
    limited.destroy(new ObjectStorageError('unreachable', `No data was transferred for ${timeoutMs / 1000} seconds`));
  }, timeoutMs);
  const limited = new Transform({
    transform(piece: Buffer, _, done) {
      timer.refresh();
      done(null, piece);
    },
    destroy(error, done) {
      clearTimeout(timer);
      done(error);
    },
  });
  pipelineOf(source, limited, () => undefined); // errors of the source reach the reader of the result
  return limited;
}

/**
 * Asks a provider.
 * @param explain makes the error for users of the provider's error
 * @throws what `explain` returns; ObjectStorageErrors and errors of this machine's disk as they are; the reason of an
 *   aborted signal
 */
export async function asking<T>(
  ask: () => Promise<T>,
  explain: (error: unknown) => ObjectStorageError,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof ObjectStorageError || isOfDisk(error) ? error : explain(error);
  }
}

/** What a provider said about a failed request. */
export interface Refusal {
  readonly bucket: string;
  /** Of the object that was asked for, if it was one. */
  readonly key: string | undefined;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** The provider's code or name of the error. */
  readonly name: string;
  readonly message: string;
  /** The server, for the message. */
  readonly server: string;
}

const MAX_MESSAGE = 500;

/** The error for users, in the same words for all providers. */
export function refusalError(refusal: Refusal, cause: unknown): ObjectStorageError {
  const { bucket, key, status, name, message, server } = refusal;
  const what = key === undefined ? `The resource ${bucket}` : `${key} in the resource ${bucket}`;
  if (status === 404)
    return new ObjectStorageError('not-found', `${what} not found. It may have been deleted.`, { cause });
  if (status === 403 || status === 401) {
    const whose = key === undefined ? `the resource ${bucket}` : what;
    const text = `Access to ${whose} denied. Check the credentials and permissions.`;
    return new ObjectStorageError('forbidden', text, { cause });
  }
  const reason = status === 0 ? message : `it responded with ${status} (${name})`;
  const problem = status === 0 ? 'unreachable' : 'failed';
  const where = key === undefined ? '' : ` for ${what}`;
  return new ObjectStorageError(problem, `${server} failed${where}: ${reason}`.slice(0, MAX_MESSAGE), { cause });
}
