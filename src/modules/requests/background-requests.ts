import { Inject, Injectable } from '@nestjs/common';
import { Actors } from '../../core/access/actors.js';
import { ChangeLog } from '../../core/event-log/change-log.js';
import { currentOrigin } from '../../core/event-log/origin.js';
import { DatabaseUnavailable } from '../../core/database/database-client.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { Notifier } from '../../core/worker/notifier.js';
import { Forbidden, OperationInProgress } from '../../core/http/errors/errors.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { MediaStorageUnavailable } from '../../engines/media/media-error.js';
import type { ImportReportDto } from './import-report.dto.js';
import type { QualityOutcomeDto } from './request.dto.js';
import type { Actor, RequestOrigin } from '../../shared/policy/actor.js';
import { RequestRepository } from './request.repository.js';
import { ResultFiles } from './result-files.js';
import { classHook, Discovery } from '../../core/discovery/discovery.js';

/** Work to do in the background. */
export interface BackgroundWork {
  /** As created by `requestIdOf`. */
  readonly id: string;
  /** `create:task`, …: must have a registered handler. */
  readonly type: string;
  readonly target: 'project' | 'task' | 'job' | 'events';
  readonly projectId?: number | null;
  readonly taskId?: number | null;
  readonly jobId?: number | null;
  readonly organizationId?: number | null;
  readonly format?: string | null;
  readonly subresource?: string | null;
  /** Any JSON value. */
  readonly parameters: unknown;
}

/** Queues and cancels background requests. */
@Injectable()
export class BackgroundRequests {
  constructor(
    private readonly requests: RequestRepository,
    private readonly notifier: Notifier,
    private readonly changes: ChangeLog,
    private readonly results: ResultFiles,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Queues a request in the caller's transaction. A finished or failed request with the same id is replaced.
   * @param actor the owner of the request, on whose behalf the work is done
   * @throws OperationInProgress if the same request is queued or running
   */
  async enqueue(tx: Tx, actor: Actor, work: BackgroundWork): Promise<void> {
    const oldResult = await this.requests.forgetEnded(tx, work.id);
    const inserted = await this.requests.insert(tx, {
      id: work.id,
      type: work.type,
      target: work.target,
      projectId: work.projectId ?? null,
      taskId: work.taskId ?? null,
      jobId: work.jobId ?? null,
      organizationId: work.organizationId ?? null,
      format: work.format ?? null,
      subresource: work.subresource ?? null,
      ownerId: actor.id,
      baseUrl: actor.baseUrl,
      origin: actor.origin ?? currentOrigin(),
      parameters: work.parameters,
      now: tx.now,
    });
    if (!inserted) throw new OperationInProgress(work.id);
    this.record(tx, actor, work);
    tx.afterCommit(() => {
      this.notifier.notify('requests');
      if (oldResult !== null) this.removeFile(oldResult);
    });
  }

  /** Logs exports and imports. */
  private record(tx: Tx, actor: Actor, work: BackgroundWork): void {
    if (!/^(export|import):/.test(work.type)) return;
    const { save_images: images, cloud_storage_id: storage } = work.parameters as Readonly<Record<string, unknown>>;
    const object = {
      type: work.type,
      task_id: work.taskId ?? null,
      job_id: work.jobId ?? null,
      format: work.format ?? null,
      ...(typeof images === 'boolean' ? { save_images: images } : {}),
      ...(typeof storage === 'number' ? { cloud_storage: { id: storage } } : {}),
    };
    const place = { organizationId: work.organizationId ?? null, projectId: work.projectId ?? null };
    this.changes.record(tx, actor, 'create:request', { object }, place);
  }

  /** @throws OperationInProgress if a request with this id is queued or running */
  async requireIdle(db: Queryable, id: string): Promise<void> {
    if (await this.requests.isActive(db, id)) throw new OperationInProgress(id);
  }

  /**
   * Cancels requests in the caller's transaction; their workers stop.
   * @returns false if the request has ended
   */
  async cancel(tx: Tx, id: string): Promise<boolean> {
    const cancelled = await this.requests.cancel(tx, id);
    tx.afterCommit(() => this.notifier.notify('requests'));
    return cancelled;
  }

  private removeFile(path: string): void {
    this.results
      .remove(path)
      .catch((error: unknown) => this.log.warn({ err: error, path }, 'cannot remove an old result'));
  }
}

/** The result of a handler: the id of what it created, a file to download, or a report. */
export interface RequestResult {
  readonly resultId?: number;
  /** Absolute path; deleted when the request expires. */
  readonly resultFile?: string;
  /** What an import created and left out. */
  readonly report?: ImportReportDto;
  /** What a client that does not read reports must know. */
  readonly message?: string;
  /** What a computation of quality found. */
  readonly quality?: QualityOutcomeDto;
}

/** A running request. */
export interface RequestContext {
  /** The id in the API. */
  readonly id: string;
  readonly parameters: unknown;
  readonly projectId: number | null;
  readonly taskId: number | null;
  readonly jobId: number | null;
  /** The requester; null if the account no longer exists. */
  readonly ownerId: number | null;
  /** Begins the names of files that this attempt writes to `exports/`, so that they can be removed if its process dies. */
  readonly scratch: string;
  /** The base URL that the requester used. */
  readonly baseUrl: string;
  /** The HTTP request that queued it. */
  readonly origin: RequestOrigin | null;
  /**
   * Aborted when the server stops, another worker takes over the request, or the owner cancels it. Throw its reason. It is
   * already aborted when the handler is only to undo what an attempt did whose process has died: check it before you read
   * anything that somebody else has written.
   */
  readonly signal: AbortSignal;
  /** Sets the message and keeps the progress. */
  setMessage(message: string): void;
  /** @param done 0 to 1 */
  setProgress(done: number): void;
  /** Ensures that this worker keeps the request until the transaction ends. Call it before you undo anything. */
  hold(tx: Tx): Promise<void>;
  /**
   * Replaces the parameters in the handler's transaction, so that another attempt continues with what this transaction
   * has written. Throws if this worker no longer holds the request. Call it last.
   */
  checkpoint(tx: Tx, parameters: unknown): Promise<void>;
  /**
   * Marks the request as finished in the handler's transaction, so that both commit together. Throws if this worker no
   * longer holds the request.
   */
  finish(tx: Tx, result?: RequestResult): Promise<void>;
}

export interface RequestHandler {
  /** The request finishes with the returned result, unless `finish` was called. */
  run(request: RequestContext): Promise<RequestResult | void>;
  /** How long a finished and a failed request are kept. */
  readonly successTtlMs: number;
  readonly failureTtlMs: number;
}

/** The attempt ends without a result. Do not undo anything: another attempt continues the request. */
export class RequestInterrupted extends Error {
  constructor(readonly reason: 'stopping' | 'orphaned' | 'taken over') {
    super(`The request was interrupted: ${reason}`);
    this.name = 'RequestInterrupted';
  }
}

/** The work failed, for a reason that is shown to the requester. */
export class RequestFailure extends Error {
  /** What an import that failed would have left out. */
  readonly report: ImportReportDto | undefined;

  constructor(message: string, { report, ...options }: ErrorOptions & { readonly report?: ImportReportDto } = {}) {
    super(message, options);
    this.name = 'RequestFailure';
    this.report = report;
  }
}

type ErrorClass = abstract new (...args: never[]) => Error;

/**
 * The error that a handler throws instead of another one: after a cancellation its reason, and a RequestFailure for errors
 * whose message helps the requester.
 * @param shown the classes of such errors
 */
export function toRequestFailure(
  error: unknown,
  { signal }: Pick<RequestContext, 'signal'>,
  ...shown: readonly ErrorClass[]
): unknown {
  if (signal.aborted) return signal.reason ?? error;
  return error instanceof Error && shown.some((type) => error instanceof type)
    ? new RequestFailure(error.message, { cause: error })
    : error;
}

/** The account on whose behalf a request is processed. @throws RequestFailure if it is deleted or inactive */
export async function loadOwner(
  actors: Actors,
  db: Queryable,
  { ownerId, baseUrl, origin }: RequestContext,
): Promise<Actor> {
  const owner = await actors.load(db, ownerId, baseUrl, origin);
  if (owner === null) throw new RequestFailure('The account of the requester no longer exists');
  return owner;
}

/** Checks a permission of the owner, who may have lost it since the request. @throws RequestFailure */
export async function stillPermitted(check: () => Promise<void> | void): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof Forbidden)) throw error;
    throw new RequestFailure('You no longer have the permission for this', { cause: error });
  }
}

/** The owner cancelled the request. Its work is undone, as after a failure. */
export class RequestCancelled extends Error {
  constructor() {
    super('The request was cancelled');
    this.name = 'RequestCancelled';
  }
}

/** Whether the request is tried again after this error: the storage of media or the database is not available. */
export const isOutage = (error: unknown): error is MediaStorageUnavailable | DatabaseUnavailable =>
  error instanceof MediaStorageUnavailable || error instanceof DatabaseUnavailable;

/**
 * Whether another attempt continues the request after this error, so that nothing must be undone: this attempt was stopped,
 * or something that it needs is not available.
 */
export const isInterrupted = (error: unknown, { signal }: Pick<RequestContext, 'signal'>): boolean =>
  error instanceof RequestInterrupted || signal.reason instanceof RequestInterrupted || isOutage(error);

/** Handles background requests of a type: `create:task`, `export:dataset`, … */
export const HandlesRequests = classHook<string, RequestHandler>();

/** The handlers of background requests by type. */
@Injectable()
export class RequestHandlers {
  private handlers: Map<string, RequestHandler> | undefined;

  constructor(private readonly discovery: Discovery) {}

  /** Registers handlers in tests. */
  register(type: string, handler: RequestHandler): void {
    if (this.byType.has(type)) throw new Error(`There is already a handler for ${type}`);
    this.byType.set(type, handler);
  }

  /** The types of all requests. */
  types(): string[] {
    return [...this.byType.keys()];
  }

  find(type: string): RequestHandler | undefined {
    return this.byType.get(type);
  }

  private get byType(): Map<string, RequestHandler> {
    if (this.handlers === undefined) {
      this.handlers = new Map();
      for (const { data, found } of this.discovery.classes(HandlesRequests)) this.register(data, found);
    }
    return this.handlers;
  }
}
