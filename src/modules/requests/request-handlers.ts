import { Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { classHook, Discovery, methodHook } from '../../core/discovery/discovery.js';

/** The result of a handler: the id of what it created, or a file to download. */
export interface RequestResult {
  readonly resultId?: number;
  /** Absolute path; deleted when the request expires. */
  readonly resultFile?: string;
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
  /** The base URL that the requester used. */
  readonly baseUrl: string;
  /**
   * Aborted when the server stops, another worker takes over the request, or the owner cancels it. Throw its reason.
   */
  readonly signal: AbortSignal;
  /** Sets the message and keeps the progress. */
  setMessage(message: string): void;
  /** @param done 0 to 1 */
  setProgress(done: number): void;
  /** Ensures that this worker keeps the request until the transaction ends. Call it before you undo anything. */
  hold(tx: Tx): Promise<void>;
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
  constructor(readonly reason: 'stopping' | 'taken over') {
    super(`The request was interrupted: ${reason}`);
    this.name = 'RequestInterrupted';
  }
}

/** The work failed, for a reason that is shown to the requester. */
export class RequestFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RequestFailure';
  }
}

/** The owner cancelled the request. Its work is undone, as after a failure. */
export class RequestCancelled extends Error {
  constructor() {
    super('The request was cancelled');
    this.name = 'RequestCancelled';
  }
}

/** Whether another attempt continues the request after this error, so that nothing must be undone. */
export const isInterrupted = (error: unknown, { signal }: Pick<RequestContext, 'signal'>): boolean =>
  error instanceof RequestInterrupted || signal.reason instanceof RequestInterrupted;

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

/** Calls the method about once a minute in processes that handle requests, to remove files that nothing refers to. */
export const Chore = methodHook<void, () => Promise<void>>();
