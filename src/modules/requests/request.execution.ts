import { DatabaseUnavailable } from '../../core/database/database-client.js';
import type { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import type { MediaStorageUnavailable } from '../../engines/media/media-error.js';
import { failed, type Span, SpanKind, traced } from '../../engines/tracing/tracing.js';
import {
  isOutage,
  RequestCancelled,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  RequestInterrupted,
  type RequestResult,
} from './background-requests.js';
import { ProgressReport } from './progress-report.js';
import type { RequestExecutions } from './request.executions.js';
import type { ClaimedRow } from './request.repository.js';
import { scratchName } from './result-files.js';

/** A worker that does not renew its lease for this long is considered dead. */
export const LEASE_MS = 30_000;
export const RENEW_MS = 10_000;
/** When a request is tried again after the storage of media or the database failed. */
export const OUTAGE_RETRY_MS = 10_000;
/** How often a request may lose its worker or its database before it fails: it may be what stops them. */
export const MAX_ATTEMPTS = 3;

/** A request that this process has claimed, wherever it is executed. */
export interface RunningRequest {
  readonly rowId: number;
  readonly ownerId: number | null;
  /** Never rejects. @returns whether the outcome is recorded */
  run(): Promise<boolean>;
  /** Releases it for another attempt. */
  stop(): void;
  cancel(): void;
}

/** One attempt at one request in this process, under a lease that shows that the worker is alive. */
export class RequestExecution implements RunningRequest {
  private readonly abort = new AbortController();
  private readonly report: ProgressReport;
  private ended = false;

  constructor(
    private readonly parts: RequestExecutions,
    private readonly row: ClaimedRow,
    private readonly handler: RequestHandler,
    /** The holder of the lease. */
    private readonly worker = parts.worker,
  ) {
    const { db, requests, log } = parts;
    this.report = new ProgressReport(
      (state) => requests.report(db, row.row_id, this.worker, state.message, state.progress),
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

  /** The process that has claimed the request has ended: this attempt counts, since the request may be the reason. */
  orphan(): void {
    this.abort.abort(new RequestInterrupted('orphaned'));
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

  /** Ends a request whose work cannot even be undone. */
  async conclude(): Promise<void> {
    if (this.row.cancelled) await this.discard({});
    else await this.fail(new RequestFailure(this.row.verdict ?? ''));
  }

  private async attempt(span: Span | undefined): Promise<void> {
    const { row } = this;
    if (row.attempts > 1 || row.verdict !== null || row.cancelled)
      await this.parts.results.removeUnfinished(row.row_id);
    if (row.attempts > MAX_ATTEMPTS && row.verdict === null) {
      return this.fail(
        new RequestFailure(`The server or its database stopped ${MAX_ATTEMPTS} times while it worked on this request`),
      );
    }
    if (row.cancelled) this.cancel();
    else if (row.verdict !== null) this.abort.abort(new RequestFailure(row.verdict));
    let result: RequestResult | void = undefined;
    try {
      result = await this.handler.run(this.context());
      if (!this.ended) await this.endInOwnTransaction('finished', (result ?? {}).message ?? '', result ?? {});
    } catch (error) {
      if (span !== undefined) failed(span, error);
      if (error instanceof RequestInterrupted && error.reason !== 'taken over') await this.release(error.reason);
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
      scratch: scratchName(row.row_id, row.attempts),
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
    if (!(await this.parts.requests.checkpoint(tx, this.row.row_id, this.worker, parameters)))
      throw await this.lostError(tx);
  }

  private async finish(tx: Tx, result: RequestResult): Promise<void> {
    // A progress update on another connection would wait for the row that this transaction locks.
    await this.report.settled();
    await this.end(tx, 'finished', result.message ?? '', result);
    tx.afterCommit(() => (this.ended = true));
  }

  private async fail(reason: unknown): Promise<void> {
    const { verdict } = this.row;
    const error = verdict === null || reason instanceof RequestFailure ? reason : new RequestFailure(verdict);
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
    const { requests, db, results } = this.parts;
    if (resultFile !== undefined) await results.remove(resultFile);
    await this.report.settled();
    await requests.forgetCancelled(db, this.row.row_id, this.worker);
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
    const { requests, clock } = this.parts;
    if (status === 'finished' && this.row.verdict !== null) throw new RequestFailure(this.row.verdict);
    const now = clock.now();
    const ttl = status === 'finished' ? this.handler.successTtlMs : this.handler.failureTtlMs;
    const { resultFile = null, resultId = null, report = result.quality ?? null } = result;
    const expiry = new Date(now.getTime() + ttl);
    const ours = await requests.end(tx, this.row.row_id, this.worker, {
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
    const cancelled = await this.parts.requests.findCancelled(tx, [this.row.row_id], this.worker);
    return cancelled.length > 0 ? new RequestCancelled() : new RequestInterrupted('taken over');
  }

  private async release(reason: 'stopping' | 'orphaned'): Promise<void> {
    await this.report.settled();
    const counts = reason === 'orphaned';
    await this.parts.requests.release(this.parts.db, this.row.row_id, this.worker, counts);
  }

  /**
   * The request is tried again later. The storage is waited for as often as necessary: the owner can cancel the request.
   * A lost database counts as an attempt.
   */
  private async postpone(error: MediaStorageUnavailable | DatabaseUnavailable): Promise<void> {
    const { requests, clock, db, log } = this.parts;
    const counts = error instanceof DatabaseUnavailable;
    const missing = counts ? 'database' : 'media storage';
    log.error({ err: error, request: this.row.id }, `a background request waits for the ${missing}`);
    this.report.say(`Waiting for the ${missing}`);
    await this.report.settled();
    const until = new Date(clock.now().getTime() + OUTAGE_RETRY_MS);
    await requests.postpone(db, this.row.row_id, this.worker, until, counts);
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
    const { requests, clock } = this.parts;
    return requests.renew(db, this.row.row_id, this.worker, new Date(clock.now().getTime() + LEASE_MS));
  }
}
