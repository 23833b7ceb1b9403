import { HttpService } from '@nestjs/axios';
import { Inject, Injectable } from '@nestjs/common';
import { AxiosError, type AxiosRequestConfig } from 'axios';
import { CONFIG, type Config } from '../../../config/config.js';
import { packageVersion } from '../../../config/version.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { RemoteAgents } from '../../../core/remote/remote-agents.js';
import { ExcessiveJson, parseLargeJson } from '../../../engines/json/large-json.js';
import { activeTraceparent, SpanKind, tracedStep } from '../../../engines/tracing/tracing.js';
import { displayUrl } from '../../../engines/sender/download.js';
import { FunctionFailure } from '../function-failure.js';

/** A request to a function or to the dashboard of Nuclio. */
export interface FunctionRequest {
  /** It may contain a user name and a password. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with POST; absent: GET. */
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Sends requests to functions. URLs appear only in the log. */
@Injectable()
export class FunctionClient {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly http: HttpService,
    private readonly agents: RemoteAgents,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * @returns the JSON value of the response
   * @throws FunctionFailure; the reason of the signal
   */
  send(request: FunctionRequest): Promise<unknown> {
    const attributes = { 'server.address': new URL(request.url).host };
    return tracedStep('call function', SpanKind.CLIENT, attributes, () => this.exchange(request));
  }

  private async exchange(request: FunctionRequest): Promise<unknown> {
    const late = AbortSignal.timeout(request.timeoutMs);
    const signal = request.signal === undefined ? late : AbortSignal.any([request.signal, late]);
    try {
      const { status, data } = await this.http.axiosRef.request<Buffer>(this.optionsOf(request, signal));
      requireSuccess(status);
      return await parsed(data);
    } catch (error) {
      request.signal?.throwIfAborted();
      const failure = late.aborted ? tooSlow(request) : this.failureOf(error);
      this.log.warn({ err: error, url: displayUrl(request.url) }, 'a call of a function failed');
      throw failure;
    }
  }

  private optionsOf({ url, headers, body }: FunctionRequest, signal: AbortSignal): AxiosRequestConfig {
    const target = new URL(url);
    const traceparent = activeTraceparent();
    const credentials = basic(target);
    target.username = '';
    target.password = '';
    return {
      method: body === undefined ? 'GET' : 'POST',
      url: target.href,
      ...(body === undefined ? {} : { data: JSON.stringify(body) }),
      headers: {
        'User-Agent': `Cairn/${packageVersion()}`,
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...credentials,
        ...(traceparent === null ? {} : { traceparent }),
        ...headers,
      },
      responseType: 'arraybuffer',
      maxContentLength: this.config.functions.responseBytes,
      maxBodyLength: Infinity,
      httpAgent: this.agents.http,
      httpsAgent: this.agents.https,
      proxy: false,
      maxRedirects: 0,
      validateStatus: null,
      signal,
    };
  }

  private failureOf(error: unknown): FunctionFailure {
    if (error instanceof FunctionFailure) return error;
    if (error instanceof AxiosError && error.message.startsWith('maxContentLength'))
      return new FunctionFailure('invalid', `sent more than ${this.config.functions.responseBytes} bytes`);
    if (error instanceof AxiosError && CUT_SHORT.has(error.message))
      return new FunctionFailure('busy', 'ended its response early');
    return new FunctionFailure('unreachable', 'cannot be reached');
  }
}

/** How Axios and Node.js report a connection that ends within the response. */
const CUT_SHORT = new Set(['aborted', 'stream has been aborted']);

function requireSuccess(status: number): void {
  if (status >= 200 && status <= 299) return;
  const isBusy = status === 429 || status >= 500;
  throw new FunctionFailure(isBusy ? 'busy' : 'status', `responded with status ${status}`);
}

const tooSlow = ({ timeoutMs }: FunctionRequest): FunctionFailure =>
  new FunctionFailure('timeout', `did not respond within ${timeoutMs / 1000} seconds`);

/** Axios would send the credentials of a URL to every host that it is redirected to. */
function basic({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

async function parsed(data: Buffer): Promise<unknown> {
  try {
    return await parseLargeJson(data);
  } catch (error) {
    if (error instanceof ExcessiveJson || error instanceof SyntaxError)
      throw new FunctionFailure('invalid', 'did not respond with JSON');
    throw error;
  }
}
