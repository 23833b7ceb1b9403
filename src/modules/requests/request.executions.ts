import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import type { Link } from '../../core/process-group/link.js';
import { groupLink } from '../../core/process-group/membership.js';
import { type RequestHandler, RequestHandlers } from './background-requests.js';
import { RemoteExecution } from './remote-execution.js';
import { RequestEvents } from './request.events.js';
import { LEASE_MS, OUTAGE_RETRY_MS, RequestExecution, type RunningRequest } from './request.execution.js';
import { type ClaimedRow, type ClaimOrder, RequestRepository } from './request.repository.js';
import { ResultFiles } from './result-files.js';

/** Claims requests for the worker of this process. */
@Injectable()
export class RequestExecutions {
  /** The name of the worker in leases. */
  readonly worker: string = randomUUID();
  /** Executes requests in processes of their own; null: they are executed in this one. */
  private readonly supervisor: Link | null;

  constructor(
    readonly db: Db,
    readonly work: UnitOfWork,
    readonly requests: RequestRepository,
    readonly events: RequestEvents,
    readonly results: ResultFiles,
    readonly clock: Clock,
    @Inject(LOGGER) readonly log: Logger,
    @Inject(CONFIG) readonly config: Config,
    private readonly handlers: RequestHandlers,
  ) {
    this.supervisor = config.requests.processes === 0 ? null : groupLink();
  }

  /** @returns null if nothing is pending */
  async claim(order: ClaimOrder): Promise<RunningRequest | null> {
    const now = this.clock.now();
    const leaseEnd = new Date(now.getTime() + LEASE_MS);
    const row = await this.requests.claim(this.db, this.worker, order, now, leaseEnd);
    if (row === undefined) return null;
    const { supervisor } = this;
    return supervisor === null ? this.executionOf(row) : new RemoteExecution(this, row, supervisor);
  }

  /**
   * Takes over a request that another process has claimed for this one.
   * @param worker the holder of the lease
   * @returns undefined if it does not hold the request any more
   */
  async adopt(rowId: number, worker: string): Promise<RequestExecution | undefined> {
    const row = await this.requests.claimed(this.db, rowId, worker);
    return row === undefined ? undefined : this.executionOf(row, worker);
  }

  private executionOf(row: ClaimedRow, worker = this.worker): RequestExecution {
    return new RequestExecution(this, row, this.handlers.find(row.type) ?? unknownType(row.type), worker);
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
