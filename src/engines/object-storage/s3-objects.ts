import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { isOfDisk } from '../files/disk-error.js';
import { asking, type UploadOptions } from './bucket.js';
import { ObjectStorageError } from './object-storage-error.js';
import { uploadFile } from './s3-upload.js';

export interface S3ObjectsOptions {
  readonly bucket: string;
  /** URL of a server other than Amazon's. */
  readonly endpoint?: string;
  readonly region: string;
  /** Default: the chain of the AWS SDK (environment, shared files, role of the machine or the pod). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Whether the bucket is in the path of a URL, not in its host name. */
  readonly pathStyle: boolean;
  /** Timeout for connecting, and without any progress, in milliseconds. */
  readonly timeoutMs: number;
}

export interface ObjectInfo {
  readonly key: string;
  readonly bytes: number;
  readonly modified: Date;
}

/** A range of bytes, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface OpenObject {
  /** Size of the whole object. */
  readonly bytes: number;
  readonly stream: Readable;
}

/** How often a request is sent before it fails. */
const ATTEMPTS = 4;
const CONNECTIONS = 64;
/** An object has at most 10,000 parts, so this permits 640 GB. */
const STREAM_PART_BYTES = 64 * 2 ** 20;
const PARTS_AT_A_TIME = 2;

/**
 * The objects of a bucket on a server with the Amazon S3 protocol that belongs to this installation. Every method throws
 * {@link ObjectStorageError}; errors of this machine's disk are passed on.
 */
export class S3Objects {
  private readonly client: S3Client;
  private readonly agents = {
    http: new HttpAgent({ keepAlive: true, maxSockets: CONNECTIONS }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: CONNECTIONS }),
  };

  constructor(private readonly options: S3ObjectsOptions) {
    const { endpoint, region, credentials, pathStyle, timeoutMs } = options;
    this.client = new S3Client({
      region,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(credentials === undefined ? {} : { credentials }),
      forcePathStyle: pathStyle,
      // Servers other than Amazon's do not support the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: ATTEMPTS,
      requestHandler: {
        httpAgent: this.agents.http,
        httpsAgent: this.agents.https,
        connectionTimeout: timeoutMs,
        requestTimeout: timeoutMs,
        throwOnRequestTimeout: true,
      },
    } satisfies S3ClientConfig);
  }

  /** @returns undefined if there is no such object */
  async info(key: string): Promise<ObjectInfo | undefined> {
    const found = await this.unlessMissing(key, () => this.client.send(new HeadObjectCommand(this.at(key))));
    if (found === undefined) return undefined;
    return { key, bytes: found.ContentLength ?? 0, modified: found.LastModified ?? new Date(0) };
  }

  /** @returns undefined if there is no such object; the stream fails with ObjectStorageError */
  async open(key: string, range?: ByteRange): Promise<OpenObject | undefined> {
    const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
    const found = await this.unlessMissing(key, () =>
      this.client.send(new GetObjectCommand({ ...this.at(key), ...part })),
    );
    if (found === undefined) return undefined;
    const { Body: body, ContentLength: length = 0, ContentRange: of } = found;
    if (!(body instanceof Readable)) throw new ObjectStorageError('failed', `${key} came without a body`);
    const bytes = of === undefined ? length : Number(of.slice(of.indexOf('/') + 1));
    return { bytes, stream: Readable.from(this.checked(body, key, length), { objectMode: false }) };
  }

  async put(key: string, content: Buffer): Promise<void> {
    const object = { ...this.at(key), Body: content, ContentLength: content.length };
    await this.asking(key, () => this.client.send(new PutObjectCommand(object)));
  }

  /** Creates or replaces an object of any size. It appears when the whole file has been received. */
  async upload(key: string, file: string, options: UploadOptions = {}): Promise<void> {
    await this.asking(key, () => uploadFile(this.client, this.at(key), file, options), options.signal);
  }

  /** Creates or replaces an object from a stream of unknown length, in parts that are in memory while they are sent. */
  async uploadStream(key: string, content: Readable): Promise<void> {
    const params = { ...this.at(key), Body: content };
    const upload = new Upload({ client: this.client, params, partSize: STREAM_PART_BYTES, queueSize: PARTS_AT_A_TIME });
    try {
      await this.asking(key, () => upload.done());
    } catch (error) {
      content.destroy(); // its writer must not wait
      throw error;
    }
  }

  /** @returns false if there is no object to copy */
  async copy(from: string, to: string): Promise<boolean> {
    const source = [this.options.bucket, ...from.split('/')].map(encodeURIComponent).join('/');
    const copied = await this.unlessMissing(from, () =>
      this.client.send(new CopyObjectCommand({ ...this.at(to), CopySource: source })),
    );
    return copied !== undefined;
  }

  /** Does nothing if there is no such object. */
  async remove(key: string): Promise<void> {
    await this.unlessMissing(key, () => this.client.send(new DeleteObjectCommand(this.at(key))));
  }

  /** Yields all objects with a prefix, in the order of their keys. @param after skips keys up to this one */
  async *list(prefix: string, after?: string): AsyncGenerator<ObjectInfo> {
    let next: string | undefined;
    do {
      const page = await this.page({ Prefix: prefix, ...(after === undefined ? {} : { StartAfter: after }) }, next);
      for (const { Key: key = '', Size: bytes = 0, LastModified: modified = new Date(0) } of page.Contents ?? [])
        yield { key, bytes, modified };
      next = page.NextContinuationToken;
    } while (next !== undefined);
  }

  /** Yields the names of objects and folders directly below a folder. @param folder ends with `/` */
  async *names(folder: string): AsyncGenerator<string> {
    let next: string | undefined;
    do {
      const page = await this.page({ Prefix: folder, Delimiter: '/' }, next);
      const found = [
        ...(page.Contents ?? []).map(({ Key: key }) => key),
        ...(page.CommonPrefixes ?? []).map(({ Prefix: key }) => key),
      ];
      for (const key of found)
        if (key !== undefined && key !== folder) yield key.slice(folder.length).replace(/\/$/, '');
      next = page.NextContinuationToken;
    } while (next !== undefined);
  }

  /** A URL from which a client without credentials can read an object for a while. */
  async link(key: string, seconds: number, response: { type: string; disposition?: string }): Promise<string> {
    const command = new GetObjectCommand({
      ...this.at(key),
      ResponseContentType: response.type,
      ...(response.disposition === undefined ? {} : { ResponseContentDisposition: response.disposition }),
    });
    return this.asking(key, () => getSignedUrl(this.client, command, { expiresIn: seconds }));
  }

  close(): void {
    this.client.destroy();
    this.agents.http.destroy();
    this.agents.https.destroy();
  }

  private at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.options.bucket, Key: key };
  }

  private page(
    options: { Prefix: string; StartAfter?: string; Delimiter?: string },
    next: string | undefined,
  ): Promise<ListObjectsV2CommandOutput> {
    const token = next === undefined ? {} : { ContinuationToken: next };
    const command = new ListObjectsV2Command({ Bucket: this.options.bucket, ...options, ...token });
    return this.asking(options.Prefix, () => this.client.send(command));
  }

  /** Passes a body on. A body that is too short or stalls is an error. */
  private async *checked(body: Readable, key: string, length: number): AsyncGenerator<Buffer> {
    let bytes = 0;
    // The client's own limit ends when the headers have arrived. A slow reader of this generator is not counted.
    const wait = (): NodeJS.Timeout =>
      setTimeout(() => body.destroy(new Error('The response stalled')), this.options.timeoutMs);
    let timer = wait();
    try {
      for await (const part of body as AsyncIterable<Buffer>) {
        clearTimeout(timer);
        bytes += part.length;
        yield part;
        timer = wait();
      }
      if (bytes !== length) throw new Error(`The response has ${bytes} of ${length} bytes`);
    } catch (error) {
      throw isOfDisk(error) ? error : this.explained(error, key);
    } finally {
      clearTimeout(timer);
      body.destroy();
    }
  }

  private async unlessMissing<T>(key: string, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.asking(key, ask);
    } catch (error) {
      if (error instanceof ObjectStorageError && error.problem === 'not-found') return undefined;
      throw error;
    }
  }

  private asking<T>(key: string, ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return asking(ask, (error) => this.explained(error, key), signal);
  }

  private explained(given: unknown, key: string): ObjectStorageError {
    const error = given instanceof Error ? given : new Error(String(given));
    const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
    const server = this.options.endpoint ?? 'Amazon S3';
    const place = `s3://${this.options.bucket}/${key}`;
    const because = { cause: error };
    if (error.name === 'NoSuchBucket')
      return new ObjectStorageError('forbidden', `The bucket ${this.options.bucket} does not exist`, because);
    if (status === 404) return new ObjectStorageError('not-found', `${place} does not exist`, because);
    if (status === 401 || status === 403)
      return new ObjectStorageError('forbidden', `${server} denied access to ${place} (${error.name})`, because);
    if (status === 507 || /StorageFull|QuotaExceeded|InsufficientStorage/i.test(error.name))
      return new ObjectStorageError('full', `${server} has no space left for ${place} (${error.name})`, because);
    const reason = status === undefined ? error.message || error.name : `status ${status}, ${error.name}`;
    return new ObjectStorageError('unreachable', `${server} failed for ${place}: ${reason}`.slice(0, 500), because);
  }
}
