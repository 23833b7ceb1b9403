import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { openBytes, SealedSecretError, sealBytes } from '../../engines/signature/secret-box.js';
import { identityOf } from '../access/current-actor.decorator.js';
import { Clock } from '../clock.js';
import type { Tx } from '../database/tx.js';
import { BeforeCommit } from '../database/unit-of-work.js';
import { bodyLimits, readBytes } from '../http/body/body.js';
import { ApiError, Invalid } from '../http/errors/errors.js';
import { currentRequest } from '../http/request/request-context.js';
import { storedResponses } from '../http/response/stream-json.js';
import { ServerSecret } from '../secret.js';
import { type EarlierRequest, IdempotencyRepository, type KeyedRequest } from './idempotency.repository.js';

const MAX_KEY = 255;
const METHODS = new Set(['POST', 'PATCH']);
const KEPT_HEADERS = ['content-type', 'etag', 'location', 'set-cookie'];
/** The user id of all anonymous requests. */
const NOBODY = 0;

type Headers = Readonly<Record<string, string | string[]>>;

/** Repeats the first response. */
class Replay extends ApiError {
  constructor(
    status: number,
    body: Buffer,
    kept: Headers,
    override readonly headers = { ...kept, 'Idempotency-Replayed': 'true' },
  ) {
    super(status, body.length === 0 ? undefined : body);
  }
}

/**
 * `Idempotency-Key` on POST and PATCH: for 24 hours, a repeated request gets the first response without running again. Requests
 * whose bodies are not JSON (uploads) are distinguished by their length and upload headers. Responses may contain
 * secrets (a new token, the secret of a webhook), so they are stored encrypted. Bodies may contain passwords, so only a
 * keyed hash of them is stored.
 *
 * A key belongs to the account or, before login, to the client's IP address: a repeated login gets the first response
 * if address, key and password are the same.
 */
@Injectable()
export class IdempotencyGuard implements CanActivate {
  private readonly requests = new WeakMap<Request, KeyedRequest>();
  private readonly key: KeyObject;
  private readonly prints: KeyObject;

  constructor(
    private readonly keys: IdempotencyRepository,
    private readonly clock: Clock,
    secret: ServerSecret,
  ) {
    this.key = createSecretKey(secret.keyFor('idempotent answers'));
    this.prints = createSecretKey(secret.keyFor('idempotent requests'));
  }

  /** Runs in every commit of a request with a key. */
  @BeforeCommit()
  markCommitted(tx: Tx): void {
    const request = currentRequest();
    const keyed = request === undefined ? undefined : this.requests.get(request);
    if (keyed !== undefined && !tx.isRepeatable) this.keys.markCommitted(tx, keyed);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const key = request.headers['idempotency-key'];
    const userId = identityOf(request)?.actor.id ?? NOBODY;
    if (key === undefined || !METHODS.has(request.method) || !request.path.startsWith('/api/')) return true;
    if (typeof key !== 'string' || key === '' || key.length > MAX_KEY || key.includes('\0')) {
      throw new Invalid({ 'Idempotency-Key': [`Must have 1 to ${MAX_KEY} characters.`] });
    }
    const response = context.switchToHttp().getResponse<Response>();
    const fingerprint = await this.fingerprint(request, response, userId);
    const owned = userId === NOBODY ? this.print(`${request.ip ?? ''}\n`, key) : key;
    const keyed = { userId, key: owned, fingerprint, date: this.clock.now() };
    const earlier = await this.keys.claim(keyed);
    if (earlier !== undefined) throw this.repeated(keyed, earlier);
    this.requests.set(request, keyed);
    this.keepResponse(response, keyed);
    return true;
  }

  /** @returns the response to a request whose key belongs to an earlier one */
  private repeated({ fingerprint }: KeyedRequest, earlier: EarlierRequest): ApiError {
    if (earlier.fingerprint !== fingerprint)
      return new ApiError(409, { detail: 'This Idempotency-Key was used for another request.' });
    if (earlier.status !== null) return this.replay(earlier.status, earlier.answer);
    if (earlier.committed && earlier.abandoned) return responseWasLost();
    return new ApiError(409, { detail: 'The request with this Idempotency-Key is still being processed.' });
  }

  private replay(status: number, answer: Buffer | null): ApiError {
    if (answer === null) return responseWasLost();
    try {
      const kept = openBytes(answer, this.key);
      const end = kept.indexOf('\n');
      return new Replay(status, kept.subarray(end + 1), JSON.parse(kept.toString('utf8', 0, end)) as Headers);
    } catch (error) {
      if (error instanceof SealedSecretError) return responseWasLost();
      throw error;
    }
  }

  /** The response is sent only after it has been stored, so a client that received it can rely on it. */
  private keepResponse(response: Response, request: KeyedRequest): void {
    storedResponses.add(response);
    const chunks: Buffer[] = [];
    const write = response.write.bind(response) as (...values: unknown[]) => boolean;
    const end = response.end.bind(response) as (...values: unknown[]) => Response;
    response.write = ((...values: unknown[]) => {
      if (isBytes(values[0])) chunks.push(Buffer.from(values[0]));
      return write(...values);
    }) as typeof response.write;
    response.end = ((...values: unknown[]) => {
      if (isBytes(values[0])) chunks.push(Buffer.from(values[0]));
      void this.keep(response, request, Buffer.concat(chunks)).then(() => end(...values));
      return response;
    }) as typeof response.end;
    const destroy = response.destroy.bind(response);
    response.destroy = (error) => {
      this.keys.forget(request);
      return destroy(error);
    };
  }

  private keep(response: Response, request: KeyedRequest, body: Buffer): Promise<void> {
    if (response.statusCode >= 400) return this.keys.release(request);
    const headers = Object.fromEntries(
      KEPT_HEADERS.flatMap((name) => (response.hasHeader(name) ? [[name, response.getHeader(name)]] : [])),
    );
    const answer = sealBytes(Buffer.concat([Buffer.from(`${JSON.stringify(headers)}\n`), body]), this.key);
    return this.keys.store(request, { status: response.statusCode, answer });
  }

  /** Distinguishes requests. The hash is keyed, so that the contents of a request cannot be found by guessing. */
  private async fingerprint(request: Request, response: Response, userId: number): Promise<string> {
    const address = `${request.method} ${request.originalUrl}\n`;
    if ((request.headers['content-type'] ?? '').startsWith('application/json')) {
      const limit = userId === NOBODY ? bodyLimits.json : bodyLimits.annotations;
      const bytes = await readBytes(request, response, limit);
      request.body = bytes; // reading releases them, and the controller reads them again
      return this.print(address, bytes);
    }
    const relevant = Object.entries(request.headers).filter(
      ([name]) => name === 'content-length' || name.startsWith('upload-'),
    );
    return this.print(address, JSON.stringify(relevant.toSorted(([a], [b]) => (a < b ? -1 : 1))));
  }

  private print(...parts: readonly (string | Buffer)[]): string {
    const hash = createHmac('sha256', this.prints);
    for (const part of parts) hash.update(part);
    return hash.digest('hex');
  }
}

const responseWasLost = (): ApiError =>
  new ApiError(409, { detail: 'The request with this Idempotency-Key was processed, but its response was lost.' });

const isBytes = (value: unknown): value is string | Buffer => typeof value === 'string' || Buffer.isBuffer(value);
