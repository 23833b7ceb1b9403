import type { Dispatcher } from 'undici';
import { ResponseBytes, decodeResponse, isPlain } from './response-body.js';
import type { ResponseText, Omitted } from './response-body.js';
import type { ConnectionTrace } from './connection.js';
import { failureOf, failureOfStatus, SendFailure, statusOfFailure } from './failure.js';
import type { FailureKind } from './failure.js';

/** Limits of one request; times in milliseconds. */
export interface SendLimits {
  /** From sending the request to the response headers. */
  firstByteMs: number;
  /** Between two parts of the body. */
  bodyMs: number;
  /** For everything, including the wait for a free connection. */
  totalMs: number;
  /** Maximum size of the response body, before and after decoding. */
  responseBytes: number;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Milliseconds; null for a step that did not happen (on a reused connection, or after a failure). */
export interface SendTimings {
  dns: number | null;
  connect: number | null;
  tls: number | null;
  /** From sending the request to the response headers. */
  firstByte: number | null;
  total: number;
}

export interface SendResult {
  /** The response's status; 502 or 504 for a failure without one; null if the sender was closed. */
  statusCode: number | null;
  /** The response body as text; empty if there is none, if it is omitted, and after a failure. */
  response: string;
  /** Why a body is missing from `response`. */
  omitted: Omitted | null;
  /** Names in lower case; empty if there was no response. */
  headers: ResponseHeaders;
  /** Null only for a 2xx response. */
  error: { kind: FailureKind; sentence: string } | null;
  /** Addresses that were tried; the last one is the one in use. */
  addresses: readonly string[];
  /** Whether an open connection was reused. */
  reused: boolean;
  timings: SendTimings;
}

/** What happens to the connection when the exchange has ended. */
export type Ending = 'keep-connection' | 'destroy-connection';

export interface ExchangeOwner {
  now: () => number;
  /** Called once, when the exchange has ended. */
  ended(exchange: Exchange, ending: Ending): void;
  /** An idle connection was already closed before the receiver had seen the request; true: it is sent again. */
  repeat(exchange: Exchange): boolean;
}

const NO_HEADERS: ResponseHeaders = Object.freeze({});

/** One request and its response: handles undici's callbacks, within limits. */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Set by the pool when it assigns a connection. */
  trace: ConnectionTrace | null = null;
  private settled = false;
  private repeated = false;
  private status: number | null = null;
  private headers: ResponseHeaders = NO_HEADERS;
  private body: ResponseBytes | null = null;
  private readonly began: number;
  private sentAt: number | null = null;
  private headAt: number | null = null;
  private lastByteAt = 0;
  private firstOnConnection = false;
  private timer: NodeJS.Timeout;

  constructor(
    readonly options: Dispatcher.DispatchOptions,
    private readonly limits: SendLimits,
    private readonly place: string,
    private readonly owner: ExchangeOwner,
    private readonly resolve: (result: SendResult) => void,
  ) {
    this.began = owner.now();
    this.timer = setTimeout(checkTime, this.shortest(), this);
  }

  get isSettled(): boolean {
    return this.settled;
  }

  onRequestStart(): void {
    this.sentAt = this.owner.now();
    if (this.trace) this.firstOnConnection = ++this.trace.requests === 1;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (this.settled || status < 200) return;
    this.headAt = this.lastByteAt = this.owner.now();
    this.status = status;
    this.headers = headers;
    if (Number(headers['content-length']) > this.limits.responseBytes)
      this.complete({ text: '', omitted: 'too-large' }, 'destroy-connection');
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settled) return;
    this.lastByteAt = this.owner.now();
    this.body ??= new ResponseBytes(this.limits.responseBytes);
    if (!this.body.push(chunk)) this.complete({ text: '', omitted: 'too-large' }, 'destroy-connection');
  }

  onResponseEnd(): void {
    if (this.settled) return;
    const encoding = this.headers['content-encoding'];
    if (this.body === null) {
      this.complete({ text: '', omitted: null }, 'keep-connection');
    } else if (encoding === undefined || isPlain(String(encoding))) {
      this.complete({ text: this.body.bytes().toString('utf8'), omitted: null }, 'keep-connection');
    } else {
      void this.decode(this.body.bytes(), String(encoding));
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.settled) return;
    const failure = failureOf(error, this.place, this.status);
    const stale = failure.kind === 'closed' && this.sentAt !== null && !this.firstOnConnection && this.status === null;
    const again = stale && !this.repeated;
    if (again) {
      this.repeated = true;
      this.sentAt = null;
    }
    if (!again || !this.owner.repeat(this)) this.fail(failure);
  }

  /** Fails the exchange, unless it has ended. */
  fail(failure: SendFailure): void {
    const error = { kind: failure.kind, sentence: failure.sentence };
    this.settle(statusOfFailure(failure.kind), { text: '', omitted: null }, error, 'destroy-connection');
  }

  private complete(body: ResponseText, ending: Ending): void {
    const location = this.headers['location'];
    const failure = failureOfStatus(this.status ?? 0, location === undefined ? location : String(location));
    const error = failure === null ? null : { kind: failure.kind, sentence: failure.sentence };
    this.settle(this.status, body, error, ending);
  }

  private settle(statusCode: number | null, body: ResponseText, error: SendResult['error'], ending: Ending): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.timer);
    // The timings of a reused connection belong to the request that opened it.
    const opened = this.firstOnConnection || this.trace?.requests === 0 ? this.trace : null;
    const result: SendResult = {
      statusCode,
      response: body.text,
      omitted: body.omitted,
      headers: this.headers,
      error,
      addresses: this.trace?.addresses ?? [],
      reused: this.sentAt !== null && !this.firstOnConnection,
      timings: {
        dns: opened?.dns ?? null,
        connect: opened?.connect ?? null,
        tls: opened?.tls ?? null,
        firstByte: this.headAt !== null && this.sentAt !== null ? this.headAt - this.sentAt : null,
        total: this.owner.now() - this.began,
      },
    };
    this.owner.ended(this, ending);
    this.resolve(result);
  }

  private async decode(bytes: Buffer, encoding: string): Promise<void> {
    this.complete(await decodeResponse(bytes, encoding, this.limits.responseBytes), 'keep-connection');
  }

  /**
   * One timer enforces all limits. Its interval is at most the shortest limit, so a limit that starts later is noticed
   * in time, and a quick exchange needs no second timer.
   */
  checkTime(): void {
    const now = this.owner.now();
    const total = this.began + this.limits.totalMs;
    const step = this.stepDeadline();
    if (now >= total) this.fail(this.late('total-timeout', `was not done within ${this.limits.totalMs} ms`));
    else if (now >= step) this.failStep();
    else this.timer = setTimeout(checkTime, Math.max(1, Math.min(total, step, now + this.shortest()) - now), this);
  }

  private shortest(): number {
    return Math.min(this.limits.firstByteMs, this.limits.bodyMs, this.limits.totalMs);
  }

  private stepDeadline(): number {
    if (this.sentAt === null) return Infinity;
    return this.headAt === null ? this.sentAt + this.limits.firstByteMs : this.lastByteAt + this.limits.bodyMs;
  }

  private failStep(): void {
    if (this.headAt === null) {
      this.fail(this.late('first-byte-timeout', `did not start to respond within ${this.limits.firstByteMs} ms`));
    } else {
      const pause = `responded with ${this.status}, but then sent nothing for ${this.limits.bodyMs} ms`;
      this.fail(this.late('body-timeout', pause));
    }
  }

  private late(kind: FailureKind, what: string): SendFailure {
    return new SendFailure(kind, `timeout: ${this.place} ${what}; respond first, then process the event`);
  }
}

function checkTime(exchange: Exchange): void {
  exchange.checkTime();
}
