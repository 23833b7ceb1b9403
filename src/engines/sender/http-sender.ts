import type { AddressGuard } from './address-guard.js';
import { bareHost } from './address-guard.js';
import { hostAndPort } from './connection.js';
import type { ConnectionSettings, Refuse, Target } from './connection.js';
import { EndpointPool } from './endpoint-pool.js';
import type { PoolLimits } from './endpoint-pool.js';
import { Exchange } from './exchange.js';
import type { Ending, ExchangeOwner, SendLimits, SendResult } from './exchange.js';
import { SendFailure, statusOfFailure, stopped } from './failure.js';
import { createResolver } from './resolver.js';
import type { Resolve } from './resolver.js';

export interface SendRequest {
  /** http or https, without user name and password. */
  url: string;
  /** Sent unchanged; `host`, `content-length` and `connection` are added. */
  headers: Readonly<Record<string, string>>;
  /** The bytes that were signed. */
  body: Buffer;
  /** Whether the certificate must be valid for the host. */
  verifyTls: boolean;
  /** Requests with different values do not share connections or wait for each other. Default: the URL. */
  endpoint?: string;
  /** Overrides the sender's limits for this request. */
  limits?: Partial<SendLimits>;
}

export interface Sender {
  /** POSTs once. Resolves for every network failure; rejects only for invalid limits. */
  send(request: SendRequest): Promise<SendResult>;
  /** Aborts requests in flight (as `stopped`) and closes all connections. Later requests are `stopped`, too. */
  close(): Promise<void>;
}

export interface SenderOptions {
  guard: AddressGuard;
  /** Checks addresses that the guard allows. Default: refuses none. */
  refuse?: Refuse;
  /** Default: the system's name servers. */
  resolve?: Resolve;
  /** Trusted certificate authorities (PEM). Default: Node's. */
  ca?: string;
  /** Milliseconds for DNS lookup, TCP and TLS together. Default 10,000. */
  connectMs?: number;
  limits?: Partial<SendLimits>;
  pool?: Partial<PoolLimits>;
  /** Number of idle endpoints to keep; the one idle for longest is removed first. Default 1000. */
  idleEndpoints?: number;
  /** Monotonic milliseconds. Default: `performance.now`. */
  now?: () => number;
}

const LIMITS: SendLimits = { firstByteMs: 10_000, bodyMs: 10_000, totalMs: 30_000, responseBytes: 1024 * 1024 };
const POOL: PoolLimits = { connections: 16, keepAliveMs: 4000, headerBytes: 16 * 1024 };

/** Creates a sender of webhook requests. It never follows redirects and never uses proxies. */
export function createSender(options: SenderOptions): Sender {
  return new HttpSender(options);
}

/** One receiver, with everything that its requests share. */
class Endpoint implements ExchangeOwner {
  active = 0;
  constructor(
    readonly key: string,
    readonly path: string,
    readonly hostAndPort: string,
    readonly now: () => number,
    private readonly pool: EndpointPool,
    private readonly onIdle: (endpoint: Endpoint) => void,
  ) {}

  submit(exchange: Exchange): void {
    this.active++;
    this.pool.submit(exchange);
  }

  ended(exchange: Exchange, ending: Ending): void {
    this.pool.release(exchange, ending);
    if (--this.active === 0) this.onIdle(this);
  }

  repeat(exchange: Exchange): boolean {
    return this.pool.repeat(exchange);
  }

  destroy(): Promise<void> {
    return this.pool.destroy();
  }
}

class HttpSender implements Sender {
  private readonly connection: ConnectionSettings;
  private readonly limits: SendLimits;
  private readonly poolLimits: PoolLimits;
  private readonly idleEndpoints: number;
  private readonly endpoints = new Map<string, Endpoint>();
  /** Endpoints without a request, longest idle first. */
  private readonly idle = new Map<string, Endpoint>();
  private closed = false;

  constructor(options: SenderOptions) {
    this.limits = checked({ ...LIMITS, ...options.limits });
    this.poolLimits = checked({ ...POOL, ...options.pool });
    this.idleEndpoints = options.idleEndpoints ?? 1000;
    this.connection = {
      guard: options.guard,
      ...(options.refuse === undefined ? {} : { refuse: options.refuse }),
      resolve: options.resolve ?? createResolver(),
      ca: options.ca,
      tlsAdvice: ', or set enable_ssl to false for this webhook',
      now: options.now ?? (() => performance.now()),
      ...checked({ connectMs: options.connectMs ?? 10_000 }),
    };
  }

  send(request: SendRequest): Promise<SendResult> {
    return new Promise((resolve) => {
      const limits = request.limits ? checked({ ...this.limits, ...request.limits }) : this.limits;
      const endpoint = this.closed ? stopped() : this.endpointOf(request);
      if (endpoint instanceof SendFailure) {
        resolve(unsent(endpoint));
        return;
      }
      const { headers, body } = request;
      const options = { path: endpoint.path, method: 'POST', headers, body } as const;
      endpoint.submit(new Exchange(options, limits, endpoint.hostAndPort, endpoint, resolve));
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    const endpoints = [...this.endpoints.values()];
    this.endpoints.clear();
    this.idle.clear();
    await Promise.all(endpoints.map((endpoint) => endpoint.destroy()));
  }

  private endpointOf(request: SendRequest): Endpoint | SendFailure {
    const key = `${request.verifyTls ? 'verified' : 'unverified'} ${request.endpoint ?? ''} ${request.url}`;
    const known = this.endpoints.get(key);
    if (known) {
      if (known.active === 0) this.idle.delete(key);
      return known;
    }
    const made = this.newEndpoint(key, request);
    if (made instanceof Endpoint) this.endpoints.set(key, made);
    return made;
  }

  private newEndpoint(key: string, request: SendRequest): Endpoint | SendFailure {
    const url = URL.canParse(request.url) ? new URL(request.url) : null;
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      return new SendFailure('invalid-request', 'the target URL is not an http or https URL');
    }
    if (url.username !== '' || url.password !== '') {
      return new SendFailure('invalid-request', 'the target URL contains a user name or password; use a custom header');
    }
    const target = targetOf(url, request.verifyTls);
    const pool = new EndpointPool(target, this.connection, this.poolLimits);
    const path = url.pathname + url.search;
    return new Endpoint(key, path, hostAndPort(target), this.connection.now, pool, (endpoint) => this.onIdle(endpoint));
  }

  private onIdle(endpoint: Endpoint): void {
    if (this.closed) return;
    this.idle.set(endpoint.key, endpoint);
    if (this.idle.size <= this.idleEndpoints) return;
    const [oldest] = this.idle.values();
    if (oldest === undefined) return;
    this.idle.delete(oldest.key);
    this.endpoints.delete(oldest.key);
    void oldest.destroy();
  }
}

function targetOf(url: URL, verifyTls: boolean): Target {
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return { origin: url.origin, secure, hostname: bareHost(url.hostname), port, path: url.pathname, verifyTls };
}

/** The result of a request that did not reach an endpoint. */
function unsent(failure: SendFailure): SendResult {
  return {
    statusCode: statusOfFailure(failure.kind),
    response: '',
    omitted: null,
    headers: {},
    error: { kind: failure.kind, sentence: failure.sentence },
    addresses: [],
    reused: false,
    timings: { dns: null, connect: null, tls: null, firstByte: null, total: 0 },
  };
}

/** Checks that timers and buffers support the limits; throws a RangeError that names an invalid one. */
function checked<T extends object>(limits: T): T {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isInteger(value) || value < 1 || value > 0x7fff_ffff) {
      throw new RangeError(`${name} must be a whole number from 1 to 2147483647, not ${String(value)}`);
    }
  }
  return limits;
}
