import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { classHook, Discovery } from '../../core/discovery/discovery.js';

/** What a handler gives back: the id of what it made, or a file to fetch. */
export interface RequestResult {
  readonly resultId?: number;
  /** Absolute path; deleted when the request expires. */
  readonly resultFile?: string;
}

/** One request at work. */
export interface RequestContext {
  /** The id on the wire. */
  readonly id: string;
  readonly parameters: unknown;
  readonly projectId: number | null;
  readonly taskId: number | null;
  readonly jobId: number | null;
  /** Who asked; null when the account is gone. */
  readonly ownerId: number | null;
  /** Where they reached the server. */
  readonly baseUrl: string;
  /**
   * Aborted when the server stops, another worker took the request over, or it was cancelled; its reason is to be thrown.
   */
  readonly signal: AbortSignal;
  /** What is being done. Keeps the progress. */
  setMessage(message: string): void;
  /** How much is done, 0 to 1. */
  setProgress(done: number): void;
  /**
   * Makes sure that the request is still this worker's, and stays so until the transaction ends. Before something is
   * undone.
   */
  hold(tx: Tx): Promise<void>;
  /**
   * Ends the request as finished in the handler's own transaction, so that the work and its end are one commit. Throws
   * when the request is no longer this worker's.
   */
  finish(tx: Tx, result?: RequestResult): Promise<void>;
}

export interface RequestHandler {
  /** The request ends as finished with what this returns, unless it was ended by `finish`. */
  run(request: RequestContext): Promise<RequestResult | void>;
  /** How long a finished and a failed request can be asked for. */
  readonly successTtlMs: number;
  readonly failureTtlMs: number;
}

/** The attempt ends without a result: nothing is to be undone, for another one goes on with the request. */
export class RequestInterrupted extends Error {
  constructor(readonly reason: 'stopping' | 'taken over') {
    super(`The request was interrupted: ${reason}`);
    this.name = 'RequestInterrupted';
  }
}

/** The work could not be done, for a reason that is told to the one who asked. */
export class RequestFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RequestFailure';
  }
}

/** Its owner cancelled the request: what was done is undone, as after a failure. */
export class RequestCancelled extends Error {
  constructor() {
    super('The request was cancelled');
    this.name = 'RequestCancelled';
  }
}

/** Whether another attempt goes on with a request that has ended with an error, so that nothing is to be undone. */
export const isInterrupted = (error: unknown, { signal }: Pick<RequestContext, 'signal'>): boolean =>
  error instanceof RequestInterrupted || signal.reason instanceof RequestInterrupted;

/** Handles background requests of a type: `create:task`, `export:dataset`, … */
export const HandlesRequests = classHook<string, RequestHandler>();

/** The handlers of background requests by type. */
@Injectable()
export class RequestHandlers {
  private handlers: Map<string, RequestHandler> | undefined;

  constructor(@Inject(Discovery) private readonly discovery: Discovery) {}

  /** For handlers of tests. */
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
