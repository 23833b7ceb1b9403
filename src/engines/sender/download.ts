import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AxiosError, type AxiosInstance } from 'axios';
import { isOfDisk } from '../files/disk-error.js';
import { replaceFile } from '../files/replace-file.js';
import { decoderOf, isOfDecoding } from './content-encoding.js';
import type { GuardedAgent } from './guarded-agent.js';
import { codeOf, failureOf, SendFailure } from './failure.js';

export interface DownloadLimits {
  /** To the first byte of a response, and between two parts of it, in milliseconds. */
  readonly idleMs: number;
  /** For the complete file, including redirects, in milliseconds. */
  readonly totalMs: number;
  readonly bytes: number;
}

export interface DownloadOptions {
  readonly http: AxiosInstance;
  /** The agents for http and https. */
  readonly agents: { readonly http: GuardedAgent; readonly https: GuardedAgent };
  readonly limits: DownloadLimits;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  /** Called with 0 to 1; never called if the server does not report the size. */
  readonly onProgress: (done: number) => void;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A file that could not be downloaded. The message contains its URL without parts that may be secret. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
}

/**
 * Downloads a file from an http or https URL. Redirects are followed, each with the same checks. A user name and
 * password in the URL are sent as Basic authentication, only to its own origin. The file appears at `target` when it is
 * complete.
 * @throws DownloadError; the signal's reason; file system errors
 */
export async function download(address: string, target: string, options: DownloadOptions): Promise<void> {
  const late = AbortSignal.timeout(options.limits.totalMs);
  const signal = AbortSignal.any([options.signal, late]);
  try {
    const response = await open(address, { ...options, signal });
    await replaceFile(target, (part) => store(response, part, { ...options, signal }));
  } catch (error) {
    options.signal.throwIfAborted();
    if (isOfDisk(error)) throw error;
    const sentence = late.aborted ? `it took longer than ${options.limits.totalMs} ms` : sentenceOf(error, address);
    throw new DownloadError(`Cannot download ${displayUrl(address)}: ${sentence}`, { cause: error });
  }
}

/** A URL for display: without user name, password, and query values. */
export function displayUrl(address: string): string {
  if (!URL.canParse(address)) return JSON.stringify(address.slice(0, 100));
  const url = new URL(address);
  const user = url.username === '' && url.password === '' ? '' : '***@';
  return `${url.protocol}//${user}${url.host}${url.pathname}${url.search === '' ? '' : '?***'}`;
}

/** Follows redirects to a response with status 200. */
async function open(address: string, options: DownloadOptions): Promise<IncomingMessage> {
  let url = httpUrl(address);
  const { origin } = url;
  const credentials = basic(url);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await ask(url, url.origin === origin ? credentials : {}, options);
    const status = response.statusCode ?? 0;
    if (status === 200) return response;
    response.destroy();
    const { location } = response.headers;
    if (!REDIRECTS.has(status) || location === undefined)
      throw new DownloadRefused(`the server responded with ${status}`);
    if (!URL.canParse(location, url.href)) throw new DownloadRefused('it redirects to an invalid URL');
    url = httpUrl(new URL(location, url).href);
  }
  throw new DownloadRefused(`more than ${MAX_REDIRECTS} redirects`);
}

/**
 * Sends one request, without the redirects and proxies of axios: the guarded agents check the address of every
 * connection, and redirects return to the caller. Credentials are sent as a header, because axios would send those of
 * the URL to any host.
 */
async function ask(url: URL, credentials: Record<string, string>, options: DownloadOptions): Promise<IncomingMessage> {
  const { http, agents, limits, signal, userAgent } = options;
  const target = new URL(url);
  target.username = '';
  target.password = '';
  try {
    const { data } = await http.get<IncomingMessage>(target.href, {
      responseType: 'stream',
      httpAgent: agents.http,
      httpsAgent: agents.https,
      proxy: false,
      maxRedirects: 0,
      decompress: false,
      validateStatus: null,
      timeout: limits.idleMs,
      headers: { 'User-Agent': userAgent, Accept: '*/*', 'Accept-Encoding': 'identity', ...credentials },
      signal,
    });
    return data;
  } catch (error) {
    if (!(error instanceof AxiosError)) throw error;
    const isLate = error.code === AxiosError.ECONNABORTED || (error.code === AxiosError.ETIMEDOUT && !error.cause);
    throw isLate ? downloadStalled(limits) : (error.cause ?? error);
  }
}

const downloadStalled = ({ idleMs }: DownloadLimits): DownloadRefused =>
  new DownloadRefused(`no data received for ${idleMs} ms`);

/** How many times its size a compressed body may unpack to, beyond a size that any body may have. */
const MAX_RATIO = 100;
const RATIO_FROM_BYTES = 2 ** 28;

async function store(response: IncomingMessage, part: string, { limits, signal, onProgress }: DownloadOptions) {
  const announced = Number(response.headers['content-length'] ?? Number.NaN);
  const decode = decoderOf(response.headers['content-encoding']);
  if (typeof decode === 'string' || announced > limits.bytes) {
    response.destroy();
    throw typeof decode === 'string' ? unknownEncoding(decode) : tooLarge(limits);
  }
  const idle = setTimeout(() => response.destroy(downloadStalled(limits)), limits.idleMs);
  let received = 0;
  const body = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of response as AsyncIterable<Buffer>) {
      idle.refresh();
      received += piece.length;
      if (announced > 0) onProgress(received / announced);
      if (received > limits.bytes) throw tooLarge(limits);
      yield piece;
    }
  };
  let decoded = 0;
  const limit = new Transform({
    transform(piece: Buffer, _, done) {
      decoded += piece.length;
      if (decoded > limits.bytes) done(tooLarge(limits));
      else if (decoded > Math.max(RATIO_FROM_BYTES, received * MAX_RATIO)) done(unpacksTooMuch());
      else done(null, piece);
    },
  });
  try {
    await pipeline(decode(body()), limit, createWriteStream(part), { signal });
  } catch (error) {
    throw isOfDecoding(codeOf(error)) ? undecodable(response, error) : error;
  } finally {
    clearTimeout(idle);
  }
}

const unknownEncoding = (coding: string): DownloadRefused =>
  new DownloadRefused(`it is encoded as ${coding.slice(0, 40)}, which cannot be decoded`);

const tooLarge = ({ bytes }: DownloadLimits): DownloadRefused =>
  new DownloadRefused(`it is larger than ${bytes} bytes`);

const unpacksTooMuch = (): DownloadRefused =>
  new DownloadRefused(`it unpacks to more than ${MAX_RATIO} times its size`);

const undecodable = ({ headers }: IncomingMessage, cause: unknown): DownloadRefused =>
  new DownloadRefused(`its content is not encoded as ${headers['content-encoding'] ?? ''}, as it says`, { cause });

/** Why a URL cannot be downloaded, as a clause. */
class DownloadRefused extends Error {}

function httpUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new DownloadRefused('it is not an http or https URL');
}

function basic({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function sentenceOf(error: unknown, address: string): string {
  if (error instanceof DownloadRefused || error instanceof SendFailure) return error.message;
  const host = URL.canParse(address) ? new URL(address).host : address;
  return failureOf(error, host).sentence;
}
