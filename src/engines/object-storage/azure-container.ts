import type { Agent } from 'node:http';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { RequestBodyType } from '@azure/core-rest-pipeline';
import type { BlockBlobClient, ContainerClient, RequestPolicy, StoragePipelineOptions } from '@azure/storage-blob';
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
import { ObjectStorageError } from './object-storage-error.js';

export type AzureCredentials =
  | { readonly account: string; /** Absent for anonymous access. */ readonly sasToken?: string }
  | { readonly connectionString: string };

export interface AzurePlace {
  readonly container: string;
  /** URL of an account on other servers than those of the public cloud. */
  readonly endpoint?: string;
  readonly credentials: AzureCredentials;
}

export interface AzureOptions {
  /** Agents for all connections; they restrict the IP addresses. */
  readonly agents: { readonly http: Agent; readonly https: Agent };
  /** Timeout for a response, and between two parts of it, in milliseconds. */
  readonly timeoutMs: number;
}

const MAX_PER_PAGE = 1000;
const MAX_ATTEMPTS = 3;
const PART_BYTES = 8 * 2 ** 20;
const MAX_PARTS = 50_000;
/** A request that sends a part may take this many times the timeout of a response. */
const SENDING = 5;

/** A container of Azure Blob Storage. */
export class AzureContainer implements Bucket {
  private client: Promise<ContainerClient> | undefined;

  constructor(
    private readonly place: AzurePlace,
    private readonly options: AzureOptions,
  ) {}

  async check(): Promise<void> {
    await this.list('', 1, null); // a SAS token for blobs does not permit reading the container's properties
  }

  has(key: string): Promise<boolean> {
    return this.asking('exists', async () => (await this.blob(key)).exists(), key);
  }

  list(prefix: string, size: number, next: string | null): Promise<ObjectPage> {
    return this.asking('list', async () => {
      const container = await this.container();
      const settings = { maxPageSize: size, ...(next === null ? {} : { continuationToken: next }) };
      const { value: page } = await container.listBlobsByHierarchy('/', { prefix }).byPage(settings).next();
      const { blobPrefixes: folders = [], blobItems: items = [] } = page?.segment ?? {};
      return {
        folders: folders.map(({ name }: { name: string }) => name),
        keys: items.map(({ name }: { name: string }) => name).filter((key: string) => key !== prefix),
        next: page?.continuationToken || null,
      };
    });
  }

  async *keys(prefix: string, signal: AbortSignal): AsyncGenerator<string> {
    let next: string | undefined;
    do {
      signal.throwIfAborted();
      const settings = { maxPageSize: MAX_PER_PAGE, ...(next === undefined ? {} : { continuationToken: next }) };
      const { value: page } = await this.asking('list', async () =>
        (await this.container()).listBlobsFlat({ prefix, abortSignal: signal }).byPage(settings).next(),
      );
      const names = page?.segment.blobItems.map(({ name }: { name: string }) => name) ?? [];
      yield* names.filter((key: string) => !key.endsWith('/'));
      next = page?.continuationToken || undefined;
    } while (next !== undefined);
  }

  read(key: string, options: ReadOptions): Promise<Buffer> {
    return this.asking(
      'read',
      () => unlessEmpty(options, async () => collectBody(key, await this.open(key, options.first), options)),
      key,
    );
  }

  async download(key: string, target: string, most: number, signal: AbortSignal): Promise<void> {
    await this.asking(
      'download',
      async () => saveBody(key, await this.open(key), { target, most, signal }),
      key,
      signal,
    );
  }

  async upload(key: string, file: string, { signal, onProgress, partBytes }: UploadOptions = {}): Promise<void> {
    const send = async (): Promise<void> => {
      const [{ size }, blob] = await Promise.all([stat(file), this.blob(key)]);
      const blockSize = Math.max(partBytes ?? PART_BYTES, Math.ceil(size / MAX_PARTS));
      await blob.uploadFile(file, {
        blockSize,
        maxSingleShotSize: blockSize,
        concurrency: 1,
        onProgress: ({ loadedBytes: sent }) => onProgress?.(size === 0 ? 1 : sent / size),
        ...(signal === undefined ? {} : { abortSignal: signal }),
      });
    };
    await this.asking('upload', send, key, signal);
  }

  private async open(key: string, first?: number): Promise<Readable> {
    const { readableStreamBody: body } = await (await this.blob(key)).download(0, first);
    if (body === undefined) throw new ObjectStorageError('failed', `${key} came without a body`);
    return unlessIdle(Readable.from(body, { objectMode: false }), this.options.timeoutMs);
  }

  private async blob(key: string): Promise<BlockBlobClient> {
    return (await this.container()).getBlockBlobClient(key);
  }

  private container(): Promise<ContainerClient> {
    this.client ??= openContainer(this.place, this.options);
    return this.client;
  }

  private asking<T>(operation: string, ask: () => Promise<T>, key?: string, signal?: AbortSignal): Promise<T> {
    const { container: bucket, endpoint: server = 'Azure Blob Storage' } = this.place;
    const attributes = { 'rpc.system': 'azure-blob', 'rpc.method': operation, 'azure.storage.container': bucket };
    return tracedStep(`Azure ${operation}`, SpanKind.CLIENT, attributes, () =>
      asking(ask, (error) => refusalError({ bucket, key, server, ...describe(error) }, error), signal),
    );
  }
}

/** The library is loaded when it is first used: it takes time and memory. */
async function openContainer(place: AzurePlace, options: AzureOptions): Promise<ContainerClient> {
  const { AnonymousCredential, BlobServiceClient, StorageRetryPolicyType } = await import('@azure/storage-blob');
  const { container, credentials } = place;
  const settings: StoragePipelineOptions = {
    httpClient: await guardedClient(options),
    retryOptions: {
      maxTries: MAX_ATTEMPTS,
      retryDelayInMs: 200,
      maxRetryDelayInMs: 2000,
      retryPolicyType: StorageRetryPolicyType.EXPONENTIAL,
    },
  };
  const service =
    'connectionString' in credentials
      ? BlobServiceClient.fromConnectionString(complete(credentials.connectionString), settings)
      : new BlobServiceClient(accountUrl(place, credentials), new AnonymousCredential(), settings);
  return service.getContainerClient(container);
}

/**
 * Sends requests through the given agents, which no proxy of the environment or of the connection string replaces.
 */
async function guardedClient({ agents, timeoutMs }: AzureOptions): Promise<RequestPolicy> {
  const [{ createDefaultHttpClient, createHttpHeaders, createPipelineRequest }, { toHttpHeadersLike }] =
    await Promise.all([import('@azure/core-rest-pipeline'), import('@azure/core-http-compat')]);
  const client = createDefaultHttpClient();
  return {
    async sendRequest(resource) {
      const { url, method, headers, body, abortSignal, streamResponseStatusCodes, onUploadProgress } = resource;
      const request = createPipelineRequest({
        url,
        method,
        headers: createHttpHeaders(headers.toJson({ preserveCase: true })),
        allowInsecureConnection: true,
        timeout: body === undefined ? timeoutMs : timeoutMs * SENDING,
        ...(body === undefined ? {} : { body: body as RequestBodyType }),
        ...(abortSignal === undefined ? {} : { abortSignal }),
        ...(streamResponseStatusCodes === undefined ? {} : { streamResponseStatusCodes }),
        ...(onUploadProgress === undefined ? {} : { onUploadProgress }),
      });
      request.agent = url.startsWith('https:') ? agents.https : agents.http;
      const response = await client.sendRequest(request);
      // The library finds out by its own request what the body means.
      return { ...response, request: resource, headers: toHttpHeadersLike(response.headers) };
    },
  };
}

/** The library takes a string without a protocol for one with a SAS token. */
const complete = (text: string): string =>
  /AccountKey=/i.test(text) && !/DefaultEndpointsProtocol=/.test(text)
    ? `DefaultEndpointsProtocol=https;${text}`
    : text;

function accountUrl(
  { endpoint }: AzurePlace,
  { account, sasToken = '' }: { readonly account: string; readonly sasToken?: string },
): string {
  const url = endpoint ?? `https://${account}.blob.core.windows.net`;
  const token = sasToken.replace(/^\?/, '');
  return token === '' ? url : `${url}?${token}`;
}

/** Codes of responses with other statuses that mean that access is denied. */
const DENIED: ReadonlySet<string> = new Set(['PublicAccessNotPermitted', 'InvalidAuthenticationInfo']);

function describe(error: unknown): { name: string; message: string; status: number } {
  if (!(error instanceof Error)) return { name: '', message: String(error), status: 0 };
  const { code = '', statusCode = 0 } = error as { code?: string; statusCode?: number };
  const message = error.name === 'AbortError' ? 'it did not respond in time' : error.message;
  return { name: code, message, status: DENIED.has(code) ? 403 : statusCode };
}
