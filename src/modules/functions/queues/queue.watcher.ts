import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { Notifier } from '../../../core/worker/notifier.js';
import { Poller } from '../../../core/worker/poller.js';
import type { Category } from '../../../engines/functions/request-params.js';
import { sql } from '../../../engines/sql/sql.js';
import { AgentRepository, type StreamSign } from './agent.repository.js';
import type { RequestStatus } from './annotation-request.repository.js';

/** Polling interval while the notifications of other processes do not arrive. */
const POLL_MS = 500;
/** Streams are stored again as signs of their agents. Less than half of the time after which an agent counts as gone. */
const SIGN_EVERY_MS = 45_000;

/** Somebody who wants to know when the queue of a function has work. */
export interface QueueListener extends StreamSign {
  /** Called for each request that enters the queue, also with those that are already there. */
  readonly onRequest: (category: Category) => void;
  /** The function was deleted. */
  readonly onEnd: () => void;
}

/** A request that has ended. */
export interface EndedRequest {
  readonly id: string;
  readonly status: RequestStatus;
  readonly error: string;
  readonly result: unknown;
  readonly agent_id: string | null;
}

interface Waiting {
  readonly id: string;
  readonly onEnd: (ended: EndedRequest | undefined) => void;
}

interface QueuedRow {
  readonly function_id: number;
  readonly category: Category | null;
  /** Changes when the request returns to the queue. */
  readonly entry: string | null;
}

/**
 * Looks at queues for the streams and waiting requests of this process: after a notification, and every two seconds. The
 * number of statements does not depend on their number.
 */
@Injectable()
export class QueueWatcher implements OnApplicationShutdown {
  private readonly listeners = new Map<QueueListener, Set<string>>();
  /** Streams that have ended, until this is stored. */
  private readonly closed = new Set<QueueListener>();
  private readonly waiting = new Set<Waiting>();
  private poller: Poller | undefined;
  private stopListening: (() => void) | undefined;
  private signed = 0;

  constructor(
    private readonly db: Db,
    private readonly agents: AgentRepository,
    private readonly notifier: Notifier,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @returns a function that ends it */
  listen(listener: QueueListener): () => void {
    this.listeners.set(listener, new Set());
    this.signed = 0;
    this.wake();
    return () => {
      if (!this.listeners.delete(listener)) return;
      this.closed.add(listener);
      this.wake();
    };
  }

  /** Resolves when the request has ended; with undefined if it no longer exists. */
  ended(id: string, signal: AbortSignal): Promise<EndedRequest | undefined> {
    return new Promise((resolve, reject) => {
      const forget = (): void => {
        signal.removeEventListener('abort', abort);
        this.waiting.delete(one);
        this.rest();
      };
      const one: Waiting = {
        id,
        onEnd: (ended) => {
          forget();
          resolve(ended);
        },
      };
      const abort = (): void => {
        forget();
        reject(signal.reason as Error);
      };
      if (signal.aborted) return reject(signal.reason as Error);
      signal.addEventListener('abort', abort);
      this.waiting.add(one);
      this.wake();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopListening?.();
    await this.poller?.stop();
    await this.storeClosed().catch(() => undefined); // others see that this process has ended
  }

  private wake(): void {
    this.stopListening ??= this.notifier.listen('functions', () => this.poller?.wake());
    if (this.poller === undefined) {
      this.poller = new Poller(
        'queues of functions',
        () => this.notifier.pollMs(POLL_MS),
        () => this.look(),
        this.log,
      );
      this.poller.start();
    } else this.poller.wake();
  }

  private rest(): void {
    if (this.listeners.size > 0 || this.waiting.size > 0 || this.closed.size > 0) return;
    void this.poller?.stop();
    this.poller = undefined;
  }

  private async look(): Promise<boolean> {
    await Promise.all([this.lookAtQueues(), this.lookAtRequests(), this.sign()]);
    await this.storeClosed(); // after signing, which could store a stream that ends meanwhile
    this.rest();
    return false;
  }

  private async lookAtQueues(): Promise<void> {
    const listeners = [...this.listeners.keys()];
    if (listeners.length === 0) return;
    const ids = [...new Set(listeners.map(({ functionId }) => functionId))];
    const rows = await this.db.query<QueuedRow>(sql`
      select native_function.id as function_id, annotation_request.category,
        annotation_request.row_id || ' ' || annotation_request.lost_leases as entry
      from native_function left join annotation_request on annotation_request.function_id = native_function.id
        and annotation_request.status in ('queued', 'started') and annotation_request.status = 'queued'
      where native_function.id = any(${ids}::int[])`);
    const byFunction = new Map<number, QueuedRow[]>();
    for (const row of rows) byFunction.set(row.function_id, [...(byFunction.get(row.function_id) ?? []), row]);
    for (const listener of listeners) {
      const queued = byFunction.get(listener.functionId);
      if (queued === undefined) listener.onEnd();
      else this.announce(listener, queued);
    }
  }

  /** Each request is announced once, unless it returns to the queue. */
  private announce(listener: QueueListener, queued: readonly QueuedRow[]): void {
    const known = this.listeners.get(listener);
    if (known === undefined) return;
    const fresh = new Set<Category>();
    const entries = new Set<string>();
    for (const { category, entry } of queued) {
      if (category === null || entry === null) continue;
      entries.add(entry);
      if (!known.has(entry)) fresh.add(category);
    }
    this.listeners.set(listener, entries);
    for (const category of fresh) listener.onRequest(category);
  }

  private async lookAtRequests(): Promise<void> {
    const waiting = [...this.waiting];
    if (waiting.length === 0) return;
    const ids = [...new Set(waiting.map(({ id }) => id))];
    const rows = await this.db.query<EndedRequest>(sql`
      select id, status, error, result, agent_id from annotation_request where id = any(${ids}::uuid[])`);
    const found = new Map(rows.map((row) => [row.id, row]));
    for (const { id, onEnd } of waiting) {
      const row = found.get(id);
      if (row?.status !== 'queued' && row?.status !== 'started') onEnd(row);
    }
  }

  private async sign(): Promise<void> {
    const now = this.clock.now();
    if (this.listeners.size === 0 || now.getTime() - this.signed < SIGN_EVERY_MS) return;
    this.signed = now.getTime();
    await this.agents.streaming(this.db, [...this.listeners.keys()], now);
  }

  private async storeClosed(): Promise<void> {
    for (const stream of this.closed) {
      await this.agents.closed(this.db, stream);
      this.closed.delete(stream);
    }
  }
}
