import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { nextSpan, traceOf } from '../../../core/http/trace.js';
import { AddressGuard } from '../../../engines/sender/address-guard.js';
import type { SendLimits } from '../../../engines/sender/exchange.js';
import { createSender, type Sender } from '../../../engines/sender/http-sender.js';
import { BODY_SIGNATURE_HEADER, signBody } from '../../../engines/signature/body-signature.js';
import { SealedSecretError } from '../../../engines/signature/secret-box.js';
import { standardHeaders } from '../../../engines/signature/standard-webhooks.js';
import { packageVersion } from '../../server/index.js';
import { attemptDetails, storable, type AttemptDetails } from './attempt-details.js';
import { type SealedSecrets, WebhookSecrets } from '../subscriptions/webhook-secrets.js';
import { WebhookTargets } from '../subscriptions/webhook-targets.js';

/** What is to be sent, and where. */
export interface Message extends SealedSecrets {
  readonly target_url: string;
  readonly content_type: string;
  /** Seconds; null for the server's setting. */
  readonly timeout: number | null;
  readonly custom_headers: Readonly<Record<string, string>>;
  readonly enable_ssl: boolean;
  readonly message_id: string;
  readonly payload: string;
  /** Null: the message begins a trace of its own. */
  readonly traceparent: string | null;
}

/** What came of one try. */
export interface Sent {
  readonly startedAt: Date;
  /** Whole milliseconds. */
  readonly duration: number;
  readonly statusCode: number | null;
  readonly response: string;
  /** Null for a success. */
  readonly error: string | null;
  /** The server is stopping: this was no try. */
  readonly stopped: boolean;
  /** Another try would end the same way. */
  readonly hopeless: boolean;
  readonly retryAfter: string | undefined;
  /** Null when nothing was sent. */
  readonly details: AttemptDetails | null;
}

const RESPONSE_BYTES = 2 ** 20;
const MAX_ERROR_LENGTH = 2000;

/** Signs and sends: one `Buffer` is both what is signed and what goes out. Answers what a table can hold. */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  /** No try takes longer, in milliseconds. */
  readonly longestMs: number;
  private readonly sender: Sender;
  private readonly connectMs: number;
  private readonly logBytes: number;
  private readonly userAgent = `Cairn/${packageVersion()}`;

  constructor(
    @Inject(CONFIG) config: Config,
    @Inject(WebhookSecrets) private readonly secrets: WebhookSecrets,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(WebhookTargets) targets: WebhookTargets,
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

  /** @param endpoint requests of different names do not wait for each other */
  async send(message: Message, endpoint: string): Promise<Sent> {
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
      error: result.error === null ? null : storable(result.error.sentence.slice(0, MAX_ERROR_LENGTH)),
      stopped: result.error?.kind === 'stopped',
      hopeless: result.error?.kind === 'invalid-request',
      retryAfter: result.headers['retry-after']?.toString(),
      details: attemptDetails({ headers, masked: Object.keys(message.custom_headers), result, bytes: this.logBytes }),
    };
  }

  /** Ends what is under way as `stopped`. */
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
      traceparent: nextSpan(message.traceparent ?? traceOf(message.message_id)),
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

/** Rather nothing than something without its signature. */
const unsent = (startedAt: Date, error: string): Sent => ({
  startedAt,
  duration: 0,
  statusCode: null,
  response: '',
  error,
  stopped: false,
  hopeless: false,
  retryAfter: undefined,
  details: null,
});
