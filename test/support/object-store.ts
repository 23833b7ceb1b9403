import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A small server with the subset of Amazon S3's protocol that tests need: path style, one page per listing. */
export interface ObjectStore {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  /** Buckets by name, with their objects by key. */
  readonly buckets: Map<string, Map<string, Buffer>>;
  /** Publicly readable buckets. */
  readonly open: Set<string>;
  /** Received requests in order, such as `GET /bucket/key bytes=0-99`. */
  readonly asked: string[];
  close(): Promise<void>;
}

export const STORE_KEY = { key: 'store-key', secret_key: 'store-secret' };
const LIST_MOST = 1000;

export async function createObjectStore(): Promise<ObjectStore> {
  const store = { buckets: new Map<string, Map<string, Buffer>>(), open: new Set<string>(), asked: [] as string[] };
  const server: Server = createServer((request, response) => {
    answer(store, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...store,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  store: Omit<ObjectStore, 'url' | 'close'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '', 'http://store');
  const [, name = '', ...parts] = url.pathname.split('/').map(decodeURIComponent);
  const key = parts.join('/');
  const range = request.headers.range;
  store.asked.push([request.method, url.pathname, ...(range === undefined ? [] : [range])].join(' '));
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const bucket = store.buckets.get(name);
  const refuse = (status: number, code: string): void =>
    void response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`);
  const signed = (request.headers.authorization ?? '').includes(`Credential=${STORE_KEY.key}/`);
  if (bucket === undefined) return refuse(404, 'NoSuchBucket');
  if (!signed && !(store.open.has(name) && request.method !== 'PUT')) return refuse(403, 'AccessDenied');
  const body = Buffer.concat(chunks);
  if (request.method === 'POST' || url.searchParams.has('uploadId')) {
    inBatches({ bucket, key, url, body }, request.method ?? '', response);
    return;
  }
  if (request.method === 'PUT') {
    bucket.set(key, body);
    response.end();
    return;
  }
  if (request.method === 'DELETE') {
    bucket.delete(key);
    return void response.writeHead(204).end();
  }
  if (key === '' && request.method === 'HEAD') return void response.end();
  if (key === '') return void response.setHeader('content-type', 'application/xml').end(list(bucket, url.searchParams));
  const object = bucket.get(key);
  if (object === undefined) return refuse(404, 'NoSuchKey');
  send(object, range, response);
}

/** Parts are stored in the bucket as `<key>?<number>` until they are combined. */
function inBatches(
  { bucket, key, url, body }: { bucket: Map<string, Buffer>; key: string; url: URL; body: Buffer },
  method: string,
  response: ServerResponse,
): void {
  const parts = [...bucket.keys()].filter((one) => one.startsWith(`${key}?`));
  if (method === 'PUT') {
    const number = url.searchParams.get('partNumber') ?? '';
    bucket.set(`${key}?${number.padStart(5, '0')}`, body);
    return void response.setHeader('etag', `"${number}"`).end();
  }
  if (method === 'POST' && !url.searchParams.has('uploadId'))
    return void response.end('<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>');
  if (method === 'POST')
    bucket.set(key, Buffer.concat(parts.sort().map((part) => bucket.get(part) ?? Buffer.alloc(0))));
  for (const part of parts) bucket.delete(part);
  response.end(method === 'POST' ? '<CompleteMultipartUploadResult/>' : undefined);
}

function send(object: Buffer, range: string | undefined, response: ServerResponse): void {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (first !== undefined && Number(first) >= object.length) {
    const headers = { 'content-type': 'application/xml' };
    return void response.writeHead(416, headers).end('<Error><Code>InvalidRange</Code></Error>');
  }
  const part = first === undefined ? object : object.subarray(Number(first), Number(last) + 1);
  const headers = { 'content-length': part.length, etag: '"x"', 'last-modified': new Date(0).toUTCString() };
  response.writeHead(first === undefined ? 200 : 206, headers).end(part);
}

function list(bucket: ReadonlyMap<string, Buffer>, query: URLSearchParams): string {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter')];
  const size = Math.min(LIST_MOST, Number(query.get('max-keys') ?? LIST_MOST));
  const entries = new Set<string>();
  for (const key of [...bucket.keys()].filter((one) => one.startsWith(prefix)).sort()) {
    const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
    entries.add(end < 0 ? key : key.slice(0, end + 1));
  }
  const after = query.get('continuation-token') ?? '';
  const rest = [...entries].filter((entry) => entry > after);
  const page = rest.slice(0, size);
  const xml = page.map((entry) =>
    delimiter !== null && entry.endsWith(delimiter) && !bucket.has(entry)
      ? `<CommonPrefixes><Prefix>${escapeXml(entry)}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${escapeXml(entry)}</Key><Size>${bucket.get(entry)?.length ?? 0}</Size></Contents>`,
  );
  const more = rest.length > page.length;
  const token = more ? `<NextContinuationToken>${escapeXml(page.at(-1) ?? '')}</NextContinuationToken>` : '';
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${more}</IsTruncated>${token}${xml.join('')}</ListBucketResult>`;
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
