import { createReadStream } from 'node:fs';
import type { Agent } from 'node:http';
import { stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Bucket as GoogleClient, File, GetFilesOptions } from '@google-cloud/storage';
import {
  asking,
  type Bucket,
  collectBody,
  type ObjectPage,
  type ReadOptions,
  refusalError,
  saveBody,
  unlessEmpty,
  unlessIdle,
  type UploadOptions,
} from './bucket.js';
import { SpanKind, tracedStep } from '../tracing/tracing.js';

/** What a service account signs its requests with. */
export interface ServiceAccount {
  readonly clientEmail: string;
  /** PEM. */
  readonly privateKey: string;
}

export interface GooglePlace {
  readonly bucket: string;
  /** Null for anonymous access. */
  readonly credentials: ServiceAccount | null;
}

export interface GoogleOptions {
  /** The server of all buckets, which only the operator sets: users cannot choose where requests go. */
  readonly endpoint: string;
  /** Agents for all connections of this process to Google; they restrict the IP addresses. */
  readonly agents: { readonly http: Agent; readonly https: Agent };
  /** Timeout for a response, and between two parts of it, in milliseconds. */
  readonly timeoutMs: number;
}

const SCOPE = 'https://www.googleapis.com/auth/devstorage.read_write';
const MAX_PER_PAGE = 1000;
/** Uploads are sent in parts of a multiple of this. */
const PART_UNIT = 256 * 1024;
const PART_BYTES = 16 * 2 ** 20;
const MAX_RETRIES = 2;

/**
 * A bucket of Google Cloud Storage. Uses only the given credentials, never those of the machine. The service account
 * signs its own tokens, so that no other server takes part.
 */
export class GoogleBucket implements Bucket {
  private client: Promise<GoogleClient> | undefined;

  constructor(
    private readonly place: GooglePlace,
    private readonly options: GoogleOptions,
  ) {}

  async check(): Promise<void> {
    // Listing needs no permission for the bucket itself, which a role for its objects does not include.
    await this.page({ maxResults: 1 });
  }

  has(key: string): Promise<boolean> {
    return this.asking(
      'exists',
      async () => {
        const [exists] = await (await this.file(key)).exists();
        return exists;
      },
      key,
    );
  }

  async list(prefix: string, size: number, next: string | null): Promise<ObjectPage> {
    const page = await this.page({
      prefix,
      maxResults: size,
      delimiter: '/',
      ...(next === null ? {} : { pageToken: next }),
    });
    return { ...page, keys: page.keys.filter((key) => key !== prefix) };
  }

  async *keys(prefix: string, signal: AbortSignal): AsyncGenerator<string> {
    let next: string | null = null;
    do {
      signal.throwIfAborted();
      const page: ObjectPage = await this.page({
        prefix,
        maxResults: MAX_PER_PAGE,
        ...(next === null ? {} : { pageToken: next }),
      });
      yield* page.keys.filter((key) => !key.endsWith('/'));
      ({ next } = page);
    } while (next !== null);
  }

  read(key: string, options: ReadOptions): Promise<Buffer> {
    const range = options.first === undefined ? {} : { start: 0, end: options.first - 1 };
    const read = async (): Promise<Buffer> => {
      const body = (await this.file(key)).createReadStream({ ...range, validation: false, decompress: false });
      return collectBody(key, unlessIdle(body, this.options.timeoutMs), options);
    };
    return this.asking('read', () => unlessEmpty(options, read), key);
  }

  async download(key: string, target: string, most: number, signal: AbortSignal): Promise<void> {
    const save = async (): Promise<void> => {
      const body = (await this.file(key)).createReadStream({ validation: 'crc32c', decompress: false });
      await saveBody(key, unlessIdle(body, this.options.timeoutMs), { target, most, signal });
    };
    await this.asking('download', save, key, signal);
  }

  async upload(key: string, file: string, options: UploadOptions = {}): Promise<void> {
    await this.asking('upload', () => this.send(key, file, options), key, options.signal);
  }

  private async send(key: string, path: string, { signal, onProgress, partBytes }: UploadOptions): Promise<void> {
    signal?.throwIfAborted();
    const { size } = await stat(path);
    const chunkSize = Math.max(PART_UNIT, Math.floor((partBytes ?? PART_BYTES) / PART_UNIT) * PART_UNIT);
    const resumable = size > chunkSize;
    const target = (await this.file(key)).createWriteStream({
      resumable,
      validation: 'crc32c',
      timeout: this.options.timeoutMs,
      ...(resumable ? { chunkSize } : {}),
    });
    let sent = 0;
    const counter = new Transform({
      transform(piece: Buffer, _, done) {
        sent += piece.length;
        onProgress?.(sent / size);
        done(null, piece);
      },
    });
    await pipeline(createReadStream(path), counter, target, signal === undefined ? {} : { signal });
    onProgress?.(1);
  }

  private page(query: GetFilesOptions): Promise<ObjectPage> {
    return this.asking('list', async () => {
      const bucket = await this.bucket();
      const [files, , response] = await bucket.getFiles({ ...query, autoPaginate: false });
      const { prefixes = [], nextPageToken = null } = response as { prefixes?: string[]; nextPageToken?: string };
      return { folders: prefixes, keys: files.map(({ name }) => name), next: nextPageToken };
    });
  }

  private async file(key: string): Promise<File> {
    return (await this.bucket()).file(key);
  }

  private bucket(): Promise<GoogleClient> {
    this.client ??= openBucket(this.place, this.options);
    return this.client;
  }

  private asking<T>(operation: string, ask: () => Promise<T>, key?: string, signal?: AbortSignal): Promise<T> {
    const place = { bucket: this.place.bucket, key, server: 'Google Cloud Storage' };
    const attributes = { 'rpc.system': 'google-storage', 'rpc.method': operation, 'gcp.storage.bucket': place.bucket };
    return tracedStep(`GCS ${operation}`, SpanKind.CLIENT, attributes, () =>
      asking(ask, (error) => refusalError({ ...place, ...describe(error) }, error), signal),
    );
  }
}

type Intercepted = ReturnType<GoogleClient['interceptors'][number]['request']>;

/** The library is loaded when it is first used: it takes time and memory. */
async function openBucket(place: GooglePlace, { endpoint, agents, timeoutMs }: GoogleOptions): Promise<GoogleClient> {
  const [{ Storage }, { JWT, PassThroughClient }] = await Promise.all([
    import('@google-cloud/storage'),
    import('google-auth-library'),
    useAgents(agents),
  ]);
  const { bucket, credentials } = place;
  const authClient =
    credentials === null
      ? new PassThroughClient()
      : new JWT({ email: credentials.clientEmail, key: credentials.privateKey, scopes: [SCOPE] });
  if (authClient instanceof JWT) authClient.useJWTAccessWithScope = true;
  const storage = new Storage({
    authClient,
    apiEndpoint: endpoint,
    useAuthWithCustomEndpoint: credentials !== null,
    projectId: 'none', // only for creating buckets; the library would look for one on this machine
    timeout: timeoutMs,
    retryOptions: { autoRetry: true, maxRetries: MAX_RETRIES, maxRetryDelay: 2 },
  });
  const agent = endpoint.startsWith('https:') ? agents.https : agents.http;
  storage.interceptors.push({ request: (options) => Object.assign(options, { agent }) as Intercepted }); // resumable uploads
  return storage.bucket(bucket);
}

/**
 * Sends the library's requests through the agents, redirected ones too. Its options have no place for agents, so they take
 * the places of those that its HTTP client would create. Resumable uploads use another client, with the agent of the
 * interceptor.
 */
async function useAgents(agents: GoogleOptions['agents']): Promise<void> {
  const { pool } = await import('teeny-request/build/src/agents.js');
  for (const scheme of ['http', 'https'] as const)
    for (const key of [scheme, `${scheme}:forever`]) pool.set(key, agents[scheme]);
}

/** Codes of OpenSSL begin with this, where a private key cannot be read. */
const KEY_ERROR = 'ERR_OSSL';

function describe(error: unknown): { name: string; message: string; status: number } {
  if (!(error instanceof Error)) return { name: '', message: String(error), status: 0 };
  const { code, status } = error as { code?: unknown; status?: unknown };
  if (typeof code === 'string' && code.startsWith(KEY_ERROR))
    return { name: code, message: error.message, status: 403 };
  const number = Number(code ?? status);
  const isStatus = Number.isInteger(number) && number >= 100 && number < 600;
  return { name: error.name, message: error.message, status: isStatus ? number : 0 };
}
