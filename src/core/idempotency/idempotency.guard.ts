import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { openBytes, SealedSecretError, sealBytes } from '../../engines/signature/secret-box.js';
import { sql } from '../../engines/sql/sql.js';
import { identityOf } from '../access/current-actor.decorator.js';
import { Clock } from '../clock.js';
import { Db } from '../database/db.js';
import type { Tx } from '../database/tx.js';
import { BeforeCommit } from '../database/unit-of-work.js';
import { bodyLimits, readBytes } from '../http/body/body.js';
import { ApiError, Invalid } from '../http/errors/errors.js';
import { currentRequest } from '../http/request/request-context.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { HoldsLeases, type LeaseTable, LiveProcesses } from '../worker/live-processes.js';
import { ServerSecret } from '../secret.js';

const KEPT_MS = 24 * 3_600_000;
/** A request without a response for this long belonged to a process that died. */
const ABANDONED_MS = 10 * 60_000;
const MAX_KEY = 255;
const METHODS = new Set(['POST', 'PATCH']);
const KEPT_HEADERS = ['content-type', 'etag', 'location', 'set-cookie'];
/** The user id of all anonymous requests. */
const NOBODY = 0;

/** Identifies a request by its key. */
interface IdempotencyRecord {
  readonly userId: number;
  readonly key: string;
}

interface Row {
  readonly fingerprint: string;
  readonly committed: boolean;
  readonly status: number | null;
  /** Encrypted. */
  readonly answer: Buffer | null;
  readonly abandoned: boolean;
}

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
@HoldsLeases()
export class IdempotencyGuard implements CanActivate, LeaseTable {
  readonly holders = sql`select holder from idempotency_key where holder is not null and status is null`;
  private readonly records = new WeakMap<Request, IdempotencyRecord>();
  private readonly key: KeyObject;
  private readonly prints: KeyObject;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
    secret: ServerSecret,
    private readonly processes: LiveProcesses,
  ) {
    this.key = createSecretKey(secret.keyFor('idempotent answers'));
    this.prints = createSecretKey(secret.keyFor('idempotent requests'));
  }

  /** Runs in every commit of a request with a key. After it, the same key never runs again. */
  @BeforeCommit()
  markCommitted(tx: Tx): void {
    const request = currentRequest();
    const record = request === undefined ? undefined : this.records.get(request);
    if (record === undefined) return;
    const mine = sql`user_id = ${record.userId} and key = ${record.key}`;
    tx.write(sql`update idempotency_key set committed = true where ${mine}`);
  }

  async releaseLeases(db: Db, dead: readonly number[]): Promise<void> {
    const then = sql`created_date - make_interval(secs => ${ABANDONED_MS / 1000})`;
    await db.query(sql`
      update idempotency_key set created_date = ${then}, holder = null
      where holder = any(${[...dead]}::int[]) and status is null`);
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
    const record = { userId, key: userId === NOBODY ? this.print(`${request.ip ?? ''}\n`, key) : key };
    await this.claim(record, await this.fingerprint(request, response, userId));
    this.records.set(request, record);
    this.keepResponse(response, record);
    return true;
  }

  private async claim(record: IdempotencyRecord, print: string): Promise<void> {
    const now = this.clock.now();
    const expired = new Date(now.getTime() - KEPT_MS);
    const [mine] = await this.db.query(sql`
      with forgotten as (
        delete from idempotency_key where (user_id, key) in (
          select user_id, key from idempotency_key
          where created_date < ${expired} and not (user_id = ${record.userId} and key = ${record.key}) limit 10)
      )
      insert into idempotency_key (user_id, key, fingerprint, created_date, holder)
      values (${record.userId}, ${record.key}, ${print}, ${now}, ${this.processes.holder}::int)
      on conflict (user_id, key) do update
        set fingerprint = excluded.fingerprint, committed = false, status = null, answer = null,
          created_date = excluded.created_date, holder = excluded.holder
        where idempotency_key.created_date < ${expired}
      returning 1`);
    if (mine !== undefined) return;
    const [row] = await this.db.query<Row>(sql`
      select fingerprint, committed, status, answer, created_date < ${new Date(now.getTime() - ABANDONED_MS)} as abandoned
      from idempotency_key where user_id = ${record.userId} and key = ${record.key}`);
    if (row === undefined) return this.claim(record, print);
    if (row.fingerprint !== print)
      throw new ApiError(409, { detail: 'This Idempotency-Key was used for another request.' });
    if (row.status !== null) throw this.replay(row.status, row);
    if (row.committed && row.abandoned) throw responseWasLost();
    if (!row.abandoned)
      throw new ApiError(409, { detail: 'The request with this Idempotency-Key is still being processed.' });
  }

  private replay(status: number, { answer }: Row): ApiError {
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
  private keepResponse(response: Response, record: IdempotencyRecord): void {
    const chunks: Buffer[] = [];
    const write = response.write.bind(response) as (...values: unknown[]) => boolean;
    const end = response.end.bind(response) as (...values: unknown[]) => Response;
    response.write = ((...values: unknown[]) => {
      if (isBytes(values[0])) chunks.push(Buffer.from(values[0]));
      return write(...values);
    }) as typeof response.write;
    response.end = ((...values: unknown[]) => {
      if (isBytes(values[0])) chunks.push(Buffer.from(values[0]));
      this.keep(response, record, Buffer.concat(chunks)).then(
        () => end(...values),
        (error: unknown) => {
          this.log.warn({ err: error }, 'a response could not be stored for its Idempotency-Key');
          end(...values);
        },
      );
      return response;
    }) as typeof response.end;
  }

  /** Refused requests changed nothing, so their key can be used again. */
  private async keep(response: Response, record: IdempotencyRecord, body: Buffer): Promise<void> {
    const mine = sql`user_id = ${record.userId} and key = ${record.key}`;
    if (response.statusCode >= 400) {
      await this.db.query(sql`delete from idempotency_key where ${mine} and not committed`);
      return;
    }
    const headers = Object.fromEntries(
      KEPT_HEADERS.flatMap((name) => (response.hasHeader(name) ? [[name, response.getHeader(name)]] : [])),
    );
    const answer = Buffer.concat([Buffer.from(`${JSON.stringify(headers)}\n`), body]);
    await this.db.query(sql`
      update idempotency_key set status = ${response.statusCode}, answer = ${sealBytes(answer, this.key)} where ${mine}`);
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
  new ApiError(409, { detail: 'The request with this Idempotency-Key succeeded, but its response was lost.' });

const isBytes = (value: unknown): value is string | Buffer => typeof value === 'string' || Buffer.isBuffer(value);
