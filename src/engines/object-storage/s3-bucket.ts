import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Agent } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  S3Client,
} from '@aws-sdk/client-s3';
import { SendFailure } from '../sender/failure.js';
import { ObjectStorageError } from './object-storage-error.js';
import { uploadFile, type UploadOptions } from './s3-upload.js';

export interface S3Place {
  readonly bucket: string;
  /** URL of a server other than Amazon's: `http://minio:9000`. */
  readonly endpoint?: string;
  readonly region: string;
  /** Null for anonymous access. */
  readonly credentials: { readonly key: string; readonly secret: string; readonly token?: string } | null;
}

export interface S3Options {
  /** Agents for all connections; they restrict the IP addresses. */
  readonly agents: { readonly http: Agent; readonly https: Agent };
  /** Timeout for connecting, and between two parts of a response, in milliseconds. */
  readonly timeoutMs: number;
}

export interface ObjectPage {
  /** Common prefixes of keys up to and including the next `/`. */
  readonly folders: readonly string[];
  readonly keys: readonly string[];
  /** Token for the next page; null on the last one. */
  readonly next: string | null;
}

const MAX_PER_PAGE = 1000;

/** A bucket on a server with the Amazon S3 protocol. Uses only the given credentials, never those of the machine. */
export class S3Bucket {
  private readonly client: S3Client;

  constructor(
    private readonly place: S3Place,
    { agents, timeoutMs }: S3Options,
  ) {
    const { endpoint, region, credentials } = place;
    this.client = new S3Client({
      region,
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      credentials:
        credentials === null
          ? { accessKeyId: 'anonymous', secretAccessKey: 'anonymous' }
          : {
              accessKeyId: credentials.key,
              secretAccessKey: credentials.secret,
              ...(credentials.token === undefined ? {} : { sessionToken: credentials.token }),
            },
      // Requests to a public bucket are not signed.
      ...(credentials === null ? { signer: { sign: (request) => Promise.resolve(request) } } : {}),
      followRegionRedirects: true,
      // Servers other than Amazon's do not support the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 3,
      requestHandler: {
        httpAgent: agents.http,
        httpsAgent: agents.https as never, // our agent class handles both protocols; the SDK only passes it on
        connectionTimeout: timeoutMs,
        requestTimeout: timeoutMs,
        throwOnRequestTimeout: true,
      },
    });
  }

  /**
   * Checks that the bucket exists and can be used. @throws ObjectStorageError not-found, forbidden, unreachable, failed
   */
  async check(): Promise<void> {
    await this.asking(() => this.client.send(new HeadBucketCommand({ Bucket: this.place.bucket })));
  }

  /** Whether an object exists. @throws ObjectStorageError for any other problem than its absence */
  async has(key: string): Promise<boolean> {
    try {
      await this.asking(() => this.client.send(new HeadObjectCommand({ Bucket: this.place.bucket, Key: key })), key);
      return true;
    } catch (error) {
      if (error instanceof ObjectStorageError && error.problem === 'not-found') return false;
      throw error;
    }
  }

  /**
   * Lists the keys directly below a prefix.
   * @param size up to 1000
   * @param next from the previous page; null for the first
   * @throws ObjectStorageError
   */
  async list(prefix: string, size: number, next: string | null): Promise<ObjectPage> {
    const page = await this.page({ prefix, size, next, delimiter: '/' });
    return {
      folders: (page.CommonPrefixes ?? []).flatMap(({ Prefix: folder }) => folder ?? []),
      keys: keysOf(page).filter((key) => key !== prefix),
      next: page.NextContinuationToken ?? null,
    };
  }

  /**
   * Yields all keys with a prefix, in order, except those of folders, which end with `/`. @throws ObjectStorageError
   */
  async *keys(prefix: string, signal: AbortSignal): AsyncGenerator<string> {
    let next: string | null = null;
    do {
      signal.throwIfAborted();
      const page: ListObjectsV2CommandOutput = await this.page({ prefix, size: MAX_PER_PAGE, next });
      yield* keysOf(page).filter((key) => !key.endsWith('/'));
      next = page.NextContinuationToken ?? null;
    } while (next !== null);
  }

  /** Reads an object, or its first bytes. @throws ObjectStorageError, also above `most` bytes */
  async read(key: string, { most, first }: { readonly most: number; readonly first?: number }): Promise<Buffer> {
    return this.asking(async () => {
      const body = await this.open(key, first);
      const parts: Buffer[] = [];
      let bytes = 0;
      for await (const part of body as AsyncIterable<Buffer>) {
        parts.push(part);
        bytes += part.length;
        if (first !== undefined && bytes >= first) break; // a server may ignore ranges
        if (bytes > most) throw new ObjectStorageError('failed', `${key} is larger than ${most} bytes`);
      }
      return Buffer.concat(parts);
    }, key);
  }

  /**
   * Downloads an object to a file, which appears when it is complete. @throws ObjectStorageError; errors of the disk
   */
  async download(key: string, target: string, most: number, signal: AbortSignal): Promise<void> {
    const part = `${target}.part`;
    let bytes = 0;
    const counter = new Transform({
      transform(piece: Buffer, _, done) {
        bytes += piece.length;
        if (bytes > most) done(new ObjectStorageError('failed', `${key} is larger than ${most} bytes`));
        else done(null, piece);
      },
    });
    try {
      await this.asking(async () => pipeline(await this.open(key), counter, createWriteStream(part), { signal }), key);
      await rename(part, target);
    } catch (error) {
      await rm(part, { force: true });
      signal.throwIfAborted();
      throw error;
    }
  }

  /**
   * Creates or replaces an object of any size. It appears when the whole file has been received.
   * @throws ObjectStorageError; the signal's reason
   */
  async upload(key: string, file: string, options: UploadOptions = {}): Promise<void> {
    const object = { Bucket: this.place.bucket, Key: key };
    try {
      await this.asking(() => uploadFile(this.client, object, file, options), key);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw error;
    }
  }

  private async open(key: string, first?: number): Promise<Readable> {
    const range = first === undefined ? {} : { Range: `bytes=0-${first - 1}` };
    const { Body: body } = await this.client.send(
      new GetObjectCommand({ Bucket: this.place.bucket, Key: key, ...range }),
    );
    if (!(body instanceof Readable)) throw new ObjectStorageError('failed', `${key} came without a body`);
    return body;
  }

  private page(options: {
    readonly prefix: string;
    readonly size: number;
    readonly next: string | null;
    readonly delimiter?: string;
  }): Promise<ListObjectsV2CommandOutput> {
    const { prefix, size, next, delimiter } = options;
    return this.asking(() =>
      this.client.send(
        new ListObjectsV2Command({
          Bucket: this.place.bucket,
          Prefix: prefix,
          MaxKeys: size,
          ...(delimiter === undefined ? {} : { Delimiter: delimiter }),
          ...(next === null ? {} : { ContinuationToken: next }),
        }),
      ),
    );
  }

  private async asking<T>(ask: () => Promise<T>, key?: string): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw this.errorOf(error, key);
    }
  }

  private errorOf(error: unknown, key?: string): unknown {
    if (error instanceof ObjectStorageError) return error;
    const { name = '', message = '', status = 0, isOfDisk } = describe(error);
    if (isOfDisk) return error;
    const { bucket } = this.place;
    const what = key === undefined ? `The resource ${bucket}` : `${key} in the resource ${bucket}`;
    if (status === 404 || name === 'NoSuchBucket' || name === 'NoSuchKey' || name === 'NotFound')
      return new ObjectStorageError('not-found', `${what} not found. It may have been deleted.`, { cause: error });
    if (status === 403 || status === 401) {
      const text = `Access to ${key === undefined ? `the resource ${bucket}` : what} denied. Check the credentials and permissions.`;
      return new ObjectStorageError('forbidden', text, { cause: error });
    }
    const place = this.place.endpoint ?? 'Amazon S3';
    if (error instanceof SendFailure)
      return new ObjectStorageError('unreachable', `${place} cannot be reached: ${error.sentence}`, { cause: error });
    const reason = status === 0 ? message : `it responded with ${status} (${name})`;
    return new ObjectStorageError(status === 0 ? 'unreachable' : 'failed', `${place} failed: ${reason}`.slice(0, 500), {
      cause: error,
    });
  }
}

const keysOf = ({ Contents: contents = [] }: ListObjectsV2CommandOutput): string[] =>
  contents.flatMap(({ Key: key }) => key ?? []);

function describe(error: unknown): { name?: string; message?: string; status?: number; isOfDisk: boolean } {
  if (!(error instanceof Error)) return { message: String(error), isOfDisk: false };
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  const isOfDisk = 'syscall' in error && ('path' in error || /ENOSPC|EDQUOT/.test(error.message));
  return { name: error.name, message: error.message, ...(status === undefined ? {} : { status }), isOfDisk };
}
