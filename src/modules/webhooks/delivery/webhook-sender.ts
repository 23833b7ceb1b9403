import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { packageVersion } from '../../../config/version.js';
import { Clock } from '../../../core/clock.js';
import { nextSpan, traceOf } from '../../../core/http/request/trace.js';
import { AddressGuard } from '../../../engines/sender/address-guard.js';
import type { ResponseHeaders, SendLimits, SendResult, SendTimings } from '../../../engines/sender/exchange.js';
import { createSender, type Sender } from '../../../engines/sender/http-sender.js';
import { activeTraceparent, failed, isTracing, type Span, SpanKind, traced } from '../../../engines/tracing/tracing.js';
import { BODY_SIGNATURE_HEADER, signBody } from '../../../engines/signature/body-signature.js';
import { SealedSecretError } from '../../../engines/signature/secret-box.js';
import { standardHeaders } from '../../../engines/signature/standard-webhooks.js';
import { type SealedSecrets, WebhookSecrets } from '../subscriptions/webhook-secrets.js';
import { WebhookTargets } from '../subscriptions/target-url.js';
import { POLICY_REFUSAL } from '../../../shared/policy-refusal.js';
import { MASK } from '../subscriptions/webhook-settings.js';

/** A request to send and its destination. */
export interface Message extends SealedSecrets {
  readonly target_url: string;
  readonly content_type: string;
  /** Seconds; null: the server's setting. */
  readonly timeout: number | null;
  readonly custom_headers: Readonly<Record<string, string>>;
  readonly enable_ssl: boolean;
  readonly message_id: string;
  readonly payload: string;
  /** Null: the message starts a new trace. */
  readonly traceparent: string | null;
}

/** The result of one attempt. */
export interface AttemptResult {
  readonly startedAt: Date;
  /** Whole milliseconds. */
  readonly duration: number;
  readonly statusCode: number | null;
  readonly response: string;
  /** Null for a success. */
  readonly error: string | null;
  /** Whether the attempt was aborted because the server is stopping. It does not count as an attempt. */
  readonly stopped: boolean;
  /** Whether a retry would end the same way. */
  readonly isPermanent: boolean;
  readonly retryAfter: string | undefined;
  /** Null when nothing was sent. */
  readonly details: AttemptDetails | null;
}

const RESPONSE_BYTES = 2 ** 20;
const MAX_ERROR_LENGTH = 2000;

/** Signs payloads and sends exactly the bytes that it signed. All texts in its results can be stored in PostgreSQL. */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  /** Upper bound of the duration of an attempt, in milliseconds. */
  readonly longestMs: number;
  private readonly sender: Sender;
  private readonly connectMs: number;
  private readonly logBytes: number;
  private readonly userAgent = `Cairn/${packageVersion()}`;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
    targets: WebhookTargets,
  ) {
    const { allow, allowPrivate, connectTimeoutMs, timeoutMs, endpointConcurrency } = config.webhooks;
    this.longestMs = connectTimeoutMs + 2 * timeoutMs;
    this.connectMs = connectTimeoutMs;
    this.logBytes = config.webhooks.logBytes;
    this.sender = createSender({
      guard: new AddressGuard({ allow, allowPrivate }),
      refuse: (address, target) => targets.refusal(address, target),
      connectMs: connectTimeoutMs,
      limits: { firstByteMs: timeoutMs, bodyMs: timeoutMs, totalMs: this.longestMs, responseBytes: RESPONSE_BYTES },
      pool: { connections: endpointConcurrency },
    });
  }

  /** @param endpoint name of the receiver; requests to different receivers do not wait for each other */
  send(message: Message, endpoint: string): Promise<AttemptResult> {
    const { traceparent: parent, target_url: url, message_id: id } = message;
    if (!isTracing()) return this.attempt(message, endpoint);
    const attributes = { 'http.request.method': 'POST', 'server.address': hostOf(url), 'messaging.message.id': id };
    return traced('deliver webhook', { kind: SpanKind.CLIENT, parent, attributes }, async (span) => {
      const result = await this.attempt(message, endpoint);
      if (span !== undefined) describeAttempt(span, result);
      return result;
    });
  }

  private async attempt(message: Message, endpoint: string): Promise<AttemptResult> {
    const startedAt = this.clock.now();
    const body = Buffer.from(message.payload);
    const headers = this.headers(message, body, startedAt);
    if (headers instanceof SealedSecretError) return unsent(startedAt, headers.message);
    const { target_url: url, enable_ssl: verifyTls } = message;
    const request = { url, headers, body, verifyTls, endpoint };
    const result = await this.sender.send(
      message.timeout === null ? request : { ...request, limits: this.limitsOf(message.timeout) },
    );
    return {
      startedAt,
      duration: Math.round(result.timings.total),
      statusCode: result.statusCode,
      response: storable(result.response),
      error: result.error === null ? null : storable(sentenceOf(result.error).slice(0, MAX_ERROR_LENGTH)),
      stopped: result.error?.kind === 'stopped',
      isPermanent: result.error?.kind === 'invalid-request',
      retryAfter: result.headers['retry-after']?.toString(),
      details: attemptDetails({ headers, masked: Object.keys(message.custom_headers), result, bytes: this.logBytes }),
    };
  }

  /** Aborts requests in flight, as `stopped`. */
  close(): Promise<void> {
    return this.sender.close();
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  private limitsOf(seconds: number): Partial<SendLimits> {
    const milliseconds = seconds * 1000;
    return { firstByteMs: milliseconds, bodyMs: milliseconds, totalMs: this.connectMs + 2 * milliseconds };
  }

  private headers(message: Message, body: Buffer, timestamp: Date): Record<string, string> | SealedSecretError {
    const headers: Record<string, string> = {
      ...message.custom_headers,
      'user-agent': this.userAgent,
      accept: '*/*',
      'content-type': message.content_type,
      traceparent: activeTraceparent() ?? nextSpan(message.traceparent ?? traceOf(message.message_id)),
    };
    try {
      const secrets = this.secrets.valid(message, timestamp);
      const [newest] = secrets;
      if (newest !== undefined) headers[BODY_SIGNATURE_HEADER] = signBody(newest, body);
      return Object.assign(headers, standardHeaders({ id: message.message_id, timestamp, body, secrets }));
    } catch (error) {
      if (error instanceof SealedSecretError) return error;
      throw error;
    }
  }
}

/** What this server refused must not look like a fault of the receiver. */
const sentenceOf = ({ kind, sentence }: NonNullable<SendResult['error']>): string =>
  kind === 'blocked' ? `${POLICY_REFUSAL}: ${sentence.replace(/^refused: /, '')}` : sentence;

/** The host without the path and the query, which can contain secrets. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

function describeAttempt(span: Span, { statusCode, error, details, stopped }: AttemptResult): void {
  if (statusCode !== null) span.setAttribute('http.response.status_code', statusCode);
  for (const [step, milliseconds] of Object.entries(details?.timings ?? {}))
    if (milliseconds !== null) span.setAttribute(`cairn.timing.${step}_ms`, milliseconds);
  if (error !== null) failed(span, { name: stopped ? 'stopped' : `HTTP ${statusCode ?? 'without response'}` });
}

/** The result for a request that was not sent because it could not be signed. */
const unsent = (startedAt: Date, error: string): AttemptResult => ({
  startedAt,
  duration: 0,
  statusCode: null,
  response: '',
  error,
  stopped: false,
  isPermanent: false,
  retryAfter: undefined,
  details: null,
});

/**
 * What one attempt sent and received. Bodies and headers are truncated, secrets are masked. The request body is not part of
 * it: the delivery has it.
 */
export interface AttemptDetails {
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly addresses: readonly string[];
  readonly reused: boolean;
  /** Milliseconds, rounded to a tenth; null for a step that did not happen. */
  readonly timings: SendTimings;
}

export interface AttemptRecord {
  readonly headers: Readonly<Record<string, string>>;
  /** Names of request headers whose values are hidden. */
  readonly masked: readonly string[];
  readonly result: SendResult;
  /** Length of the response body in characters. */
  readonly bytes: number;
}

/** Text that needs no conversion: almost all headers and many bodies. */
const PLAIN = /^[\t\n\r -~]*$/;

const MAX_HEADERS = 50;

const MAX_HEADER = 500;

/** Masked in the log, whose readers must not be able to use cookies that a response sets. */
const SECRET_RESPONSE_HEADERS: readonly string[] = ['set-cookie', 'authorization', 'proxy-authenticate'];

/** The log entry of one attempt. */
export function attemptDetails({ headers, masked, result, bytes }: AttemptRecord): AttemptDetails {
  return {
    requestHeaders: loggedHeaders(headers, masked),
    responseHeaders: loggedHeaders(result.headers, SECRET_RESPONSE_HEADERS),
    responseBody: storable(result.response.slice(0, bytes)),
    addresses: result.addresses,
    reused: result.reused,
    timings: {
      dns: tenth(result.timings.dns),
      connect: tenth(result.timings.connect),
      tls: tenth(result.timings.tls),
      firstByte: tenth(result.timings.firstByte),
      total: tenth(result.timings.total) ?? 0,
    },
  };
}

function loggedHeaders(headers: ResponseHeaders, masked: readonly string[]): Record<string, string> {
  const secret = new Set(masked.map((name) => name.toLowerCase()));
  const texts: Record<string, string> = {};
  for (const name of Object.keys(headers).slice(0, MAX_HEADERS)) {
    const isSecret = secret.size > 0 && secret.has(name.toLowerCase());
    texts[name] = isSecret ? MASK : storable(String(headers[name] ?? '').slice(0, MAX_HEADER));
  }
  return texts;
}

const tenth = (milliseconds: number | null): number | null =>
  milliseconds === null ? null : Math.round(milliseconds * 10) / 10;

/** PostgreSQL cannot store U+0000, and lone surrogates are not valid UTF-8. */
export const storable = (text: string): string =>
  PLAIN.test(text) ? text : Buffer.from(text.replaceAll('\0', '')).toString();
