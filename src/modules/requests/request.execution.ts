import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { DatabaseUnavailable } from '../../core/database/database-client.js';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { MediaStorageUnavailable } from '../../engines/media/media-error.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { failed, type Span, SpanKind, traced } from '../../engines/tracing/tracing.js';
import {
  isOutage,
  RequestCancelled,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  RequestHandlers,
  RequestInterrupted,
  type RequestResult,
} from './background-requests.js';
import { ResultFiles } from './result-files.js';
import { RequestEvents } from './request.events.js';
import { type ClaimedRow, type ClaimOrder, RequestRepository } from './request.repository.js';

/** A worker that does not renew its lease for this long is considered dead. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** When a request is tried again after the storage of media or the database failed. */
const OUTAGE_RETRY_MS = 10_000;
/** How often a request may lose its worker or its database before it fails: it may be what stops them. */
export const MAX_ATTEMPTS = 3;

/** One attempt at one request, under a lease that shows that the worker is alive. */
export class RequestExecution {
  private readonly abort = new AbortController();
  private readonly report: ProgressReport;
  private ended = false;

  constructor(
    private readonly parts: RequestExecutions,
    private readonly row: ClaimedRow,
    private readonly handler: RequestHandler,
  ) {
    const { db, requests, worker, log } = parts;
    this.report = new ProgressReport(
      (state) => requests.report(db, row.row_id, worker, state.message, state.progress),
      (error) => log.warn({ err: error, request: row.id }, 'cannot record the progress'),
    );
  }

  get rowId(): number {
    return this.row.row_id;
  }

  get ownerId(): number | null {
    return this.row.owner_id;
  }

  stop(): void {
    this.abort.abort(new RequestInterrupted('stopping'));
  }

  cancel(): void {
    this.abort.abort(new RequestCancelled());
  }

  /**
   * Never rejects: errors are recorded in the request or in the log.
   * @returns whether the outcome is recorded
   */
  async run(): Promise<boolean> {
    const renewal = setInterval(() => void this.renew(), RENEW_MS);
    const { id, type, traceparent: parent, attempts } = this.row;
    const attributes = { 'cairn.request': id, 'cairn.request.type': type, 'cairn.request.attempt': attempts };
    try {
      await traced(`request ${type}`, { kind: SpanKind.CONSUMER, parent, attributes }, (span) => this.attempt(span));
      return true;
    } catch (error) {
      this.parts.log.error({ err: error, request: this.row.id }, 'cannot record the result of a background request');
      return false;
    } finally {
      clearInterval(renewal);
      // A pending progress update locks the row, and the next claim would skip it.
      await this.report.settled();
    }
  }

  private async attempt(span: Span | undefined): Promise<void> {
    const { row } = this;
    if (row.attempts > MAX_ATTEMPTS) {
      return this.fail(
        new RequestFailure(`The server or its database stopped ${MAX_ATTEMPTS} times while it worked on this request`),
      );
    }
    if (row.cancelled) this.cancel();
    let result: RequestResult | void = undefined;
    try {
      result = await this.handler.run(this.context());
      if (!this.ended) await this.endInOwnTransaction('finished', (result ?? {}).message ?? '', result ?? {});
    } catch (error) {
      if (span !== undefined) failed(span, error);
      if (error instanceof RequestInterrupted && error.reason === 'stopping') await this.release();
      else if (isOutage(error)) await this.postpone(error);
      else if (error instanceof RequestCancelled) await this.discard(result ?? {});
      else if (error instanceof RequestInterrupted || this.ended)
        this.parts.log.warn({ err: error, request: row.id }, 'a request was abandoned');
      else await this.fail(error);
    }
  }

  private context(): RequestContext {
    const { row } = this;
    return {
      id: row.id,
      parameters: row.parameters,
      projectId: row.project_id,
      taskId: row.task_id,
      jobId: row.job_id,
      ownerId: row.owner_id,
      baseUrl: row.base_url,
      origin: row.origin,
      signal: this.abort.signal,
      setMessage: (message) => this.report.say(message),
      setProgress: (done) => this.report.progress(done),
      hold: async (tx) => {
        if (!(await this.extendLease(tx))) throw new RequestInterrupted('taken over');
      },
      checkpoint: (tx, parameters) => this.checkpoint(tx, parameters),
      finish: (tx, result) => this.finish(tx, result ?? {}),
    };
  }

  private async checkpoint(tx: Tx, parameters: unknown): Promise<void> {
    // A progress update on another connection would wait for the row that this transaction locks.
    await this.report.settled();
    const { requests, worker } = this.parts;
    if (!(await requests.checkpoint(tx, this.row.row_id, worker, parameters))) throw await this.lostError(tx);
  }

  private async finish(tx: Tx, result: RequestResult): Promise<void> {
    // A progress update on another connection would wait for the row that this transaction locks.
    await this.report.settled();
    await this.end(tx, 'finished', result.message ?? '', result);
    tx.afterCommit(() => (this.ended = true));
  }

  private async fail(error: unknown): Promise<void> {
    const known = error instanceof RequestFailure;
    if (!known) this.parts.log.error({ err: error, request: this.row.id }, 'a background request failed');
    const text = known
      ? error.message
      : 'The server could not do this because of an internal error; its log has the details';
    try {
      const result = known && error.report !== undefined ? { report: error.report } : {};
      await this.endInOwnTransaction('failed', `${text.replaceAll('\0', '')}\n`, result);
    } catch (cause) {
      if (!(cause instanceof RequestCancelled)) throw cause;
      await this.discard({});
    }
  }

  /** Removes a cancelled request after its handler has undone its work. */
  private async discard({ resultFile }: RequestResult): Promise<void> {
    const { requests, db, worker, results } = this.parts;
    if (resultFile !== undefined) await results.remove(resultFile);
    await this.report.settled();
    await requests.forgetCancelled(db, this.row.row_id, worker);
  }

  private async endInOwnTransaction(
    status: 'finished' | 'failed',
    message: string,
    result: RequestResult,
  ): Promise<void> {
    await this.report.settled();
    await this.parts.work.run((tx) => this.end(tx, status, message, result));
  }

  /** Ends the request and records its event in one transaction. */
  private async end(tx: Tx, status: 'finished' | 'failed', message: string, result: RequestResult): Promise<void> {
    const { requests, worker, clock } = this.parts;
    const now = clock.now();
    const ttl = status === 'finished' ? this.handler.successTtlMs : this.handler.failureTtlMs;
    const { resultFile = null, resultId = null, report = result.quality ?? null } = result;
    const expiry = new Date(now.getTime() + ttl);
    const ours = await requests.end(tx, this.row.row_id, worker, {
      status,
      message,
      resultFile,
      resultId,
      report,
      now,
      expiry,
    });
    if (!ours) throw await this.lostError(tx);
    await this.parts.events.completed(tx, this.row);
  }

  private async lostError(tx: Tx): Promise<Error> {
    const { requests, worker } = this.parts;
    const cancelled = await requests.findCancelled(tx, [this.row.row_id], worker);
    return cancelled.length > 0 ? new RequestCancelled() : new RequestInterrupted('taken over');
  }

  private async release(): Promise<void> {
    await this.report.settled();
    await this.parts.requests.release(this.parts.db, this.row.row_id, this.parts.worker);
  }

  /**
   * The request is tried again later. The storage is waited for as often as necessary: the owner can cancel the request.
   * A lost database counts as an attempt.
   */
  private async postpone(error: MediaStorageUnavailable | DatabaseUnavailable): Promise<void> {
    const { requests, worker, clock, db, log } = this.parts;
    const counts = error instanceof DatabaseUnavailable;
    const missing = counts ? 'database' : 'media storage';
    log.error({ err: error, request: this.row.id }, `a background request waits for the ${missing}`);
    this.report.say(`Waiting for the ${missing}`);
    await this.report.settled();
    const until = new Date(clock.now().getTime() + OUTAGE_RETRY_MS);
    await requests.postpone(db, this.row.row_id, worker, until, counts);
  }

  private async renew(): Promise<void> {
    try {
      const ours = await this.extendLease(this.parts.db);
      if (!ours && !this.ended) this.abort.abort(new RequestInterrupted('taken over'));
    } catch (error) {
      this.parts.log.warn({ err: error, request: this.row.id }, 'cannot renew the lease of a background request');
    }
  }

  /** @returns false if another worker holds the request, or it no longer exists */
  private extendLease(db: Db | Tx): Promise<boolean> {
    const { requests, worker, clock } = this.parts;
    return requests.renew(db, this.row.row_id, worker, new Date(clock.now().getTime() + LEASE_MS));
  }
}

/** Claims requests for the worker of this process. */
@Injectable()
export class RequestExecutions {
  /** The name of the worker in leases. */
  readonly worker = randomUUID();

  constructor(
    readonly db: Db,
    readonly work: UnitOfWork,
    readonly requests: RequestRepository,
    readonly events: RequestEvents,
    readonly results: ResultFiles,
    readonly clock: Clock,
    @Inject(LOGGER) readonly log: Logger,
    private readonly handlers: RequestHandlers,
  ) {}

  /** @returns null if nothing is pending */
  async claim(order: ClaimOrder): Promise<RequestExecution | null> {
    const now = this.clock.now();
    const leaseEnd = new Date(now.getTime() + LEASE_MS);
    const row = await this.requests.claim(this.db, this.worker, order, now, leaseEnd);
    if (row === undefined) return null;
    return new RequestExecution(this, row, this.handlers.find(row.type) ?? unknownType(row.type));
  }

  /**
   * Releases the requests that this worker holds without processing them, because the connection to the database was lost.
   * @param running the rows that it processes
   * @returns whether none are left
   */
  releaseLost(running: readonly number[]): Promise<boolean> {
    const until = new Date(this.clock.now().getTime() + OUTAGE_RETRY_MS);
    return this.requests.postponeLost(this.db, this.worker, running, until);
  }

  /** @returns which of these requests, which this worker processes, were cancelled */
  async findCancelled(rowIds: readonly number[]): Promise<ReadonlySet<number>> {
    return new Set(await this.requests.findCancelled(this.db, rowIds, this.worker));
  }
}

/** Handles a request that a newer server queued. */
const unknownType = (type: string): RequestHandler => ({
  run: () => Promise.reject(new Error(`No handler for requests of type ${type}`)),
  successTtlMs: 0,
  failureTtlMs: 86_400_000,
});

/** The state that a running request reports. */
interface State {
  readonly message: string;
  readonly progress: number;
}

/**
 * Writes the progress of a handler: only the latest state, one write at a time, in integer percent. A handler can
 * report as often as it likes.
 */
class ProgressReport {
  private latest: State = { message: '', progress: 0 };
  private written: State = this.latest;
  private writing: Promise<void> | undefined;

  constructor(
    private readonly write: (state: State) => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  say(message: string): void {
    this.update({ ...this.latest, message });
  }

  progress(done: number): void {
    const progress = Math.floor(Math.min(1, Math.max(0, done)) * 100) / 100;
    this.update({ ...this.latest, progress });
  }

  /** Resolves when no write is in progress. */
  async settled(): Promise<void> {
    await this.writing;
  }

  private update(state: State): void {
    if (state.message === this.latest.message && state.progress === this.latest.progress) return;
    this.latest = state;
    this.writing ??= this.writeAll().finally(() => (this.writing = undefined));
  }

  private async writeAll(): Promise<void> {
    while (this.written !== this.latest) {
      const state = this.latest;
      try {
        await this.write(state);
      } catch (error) {
        this.onError(error);
      }
      this.written = state;
    }
  }
}
