import type { Agent } from 'node:http';
import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  S3Client,
} from '@aws-sdk/client-s3';
import { SpanKind, tracedStep } from '../tracing/tracing.js';
import { SendFailure } from '../sender/failure.js';
import {
  asking,
  type Bucket,
  collectBody,
  type ObjectPage,
  type ReadOptions,
  refusalError,
  saveBody,
  unlessEmpty,
  type UploadOptions,
} from './bucket.js';
import { ObjectStorageError } from './object-storage-error.js';
import { uploadFile } from './s3-upload.js';

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

const MAX_PER_PAGE = 1000;

/** A bucket on a server with the Amazon S3 protocol. Uses only the given credentials, never those of the machine. */
export class S3Bucket implements Bucket {
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
    traceCommands(this.client, place.bucket);
  }

  async check(): Promise<void> {
    await this.asking(() => this.client.send(new HeadBucketCommand({ Bucket: this.place.bucket })));
  }

  async has(key: string): Promise<boolean> {
    try {
      await this.asking(() => this.client.send(new HeadObjectCommand({ Bucket: this.place.bucket, Key: key })), key);
      return true;
    } catch (error) {
      if (error instanceof ObjectStorageError && error.problem === 'not-found') return false;
      throw error;
    }
  }

  async list(prefix: string, size: number, next: string | null): Promise<ObjectPage> {
    const page = await this.page({ prefix, size, next, delimiter: '/' });
    return {
      folders: (page.CommonPrefixes ?? []).flatMap(({ Prefix: folder }) => folder ?? []),
      keys: keysOf(page).filter((key) => key !== prefix),
      next: page.NextContinuationToken ?? null,
    };
  }

  async *keys(prefix: string, signal: AbortSignal): AsyncGenerator<string> {
    let next: string | null = null;
    do {
      signal.throwIfAborted();
      const page: ListObjectsV2CommandOutput = await this.page({ prefix, size: MAX_PER_PAGE, next });
      yield* keysOf(page).filter((key) => !key.endsWith('/'));
      next = page.NextContinuationToken ?? null;
    } while (next !== null);
  }

  async read(key: string, options: ReadOptions): Promise<Buffer> {
    const read = async (): Promise<Buffer> => collectBody(key, await this.open(key, options.first), options);
    return this.asking(() => unlessEmpty(options, read), key);
  }

  async download(key: string, target: string, most: number, signal: AbortSignal): Promise<void> {
    await this.asking(async () => saveBody(key, await this.open(key), { target, most, signal }), key, signal);
  }

  async upload(key: string, file: string, options: UploadOptions = {}): Promise<void> {
    const object = { Bucket: this.place.bucket, Key: key };
    await this.asking(() => uploadFile(this.client, object, file, options), key, options.signal);
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

  private asking<T>(ask: () => Promise<T>, key?: string, signal?: AbortSignal): Promise<T> {
    return asking(ask, (error) => this.explained(error, key), signal);
  }

  private explained(error: unknown, key?: string): ObjectStorageError {
    const { name, message, status } = describe(error);
    const server = this.place.endpoint ?? 'Amazon S3';
    if (error instanceof SendFailure)
      return new ObjectStorageError('unreachable', `${server} cannot be reached: ${error.sentence}`, { cause: error });
    const { bucket } = this.place;
    return refusalError({ bucket, key, status: MISSING.has(name) ? 404 : status, name, message, server }, error);
  }
}

/** Records each command in a span of the request or background work that needs it. */
function traceCommands(client: S3Client, bucket: string): void {
  client.middlewareStack.add(
    (next, { commandName = 'S3' }) =>
      (input) => {
        const name = commandName.replace(/Command$/, '');
        const attributes = {
          'rpc.system': 'aws-api',
          'rpc.service': 'S3',
          'rpc.method': name,
          'aws.s3.bucket': bucket,
        };
        return tracedStep(`S3 ${name}`, SpanKind.CLIENT, attributes, () => next(input));
      },
    { step: 'initialize', name: 'traceCommands' },
  );
}
/** Names of errors that may come without a status. */
const MISSING: ReadonlySet<string> = new Set(['NoSuchBucket', 'NoSuchKey', 'NotFound']);

const keysOf = ({ Contents: contents = [] }: ListObjectsV2CommandOutput): string[] =>
  contents.flatMap(({ Key: key }) => key ?? []);

function describe(error: unknown): { name: string; message: string; status: number } {
  if (!(error instanceof Error)) return { name: '', message: String(error), status: 0 };
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;
  return { name: error.name, message: error.message, status };
}
