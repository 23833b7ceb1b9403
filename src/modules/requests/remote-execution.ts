import { setTimeout as pause } from 'node:timers/promises';
import type { Link } from '../../core/process-group/link.js';
import type { AbortOrder, EndCause, Outcome } from '../../core/process-group/messages.js';
import { isOutage } from './background-requests.js';
import { verdictOn } from './request-verdict.js';
import { LEASE_MS, OUTAGE_RETRY_MS, RENEW_MS, type RunningRequest } from './request.execution.js';
import type { RequestExecutions } from './request.executions.js';
import type { ClaimedRow } from './request.repository.js';

/** While the database is not available, a verdict is recorded again after this time. */
const RETRY_MS = 1_000;

/**
 * A request that this process has claimed, and a request process executes. This process renews the lease, too: the other one
 * may compute for minutes. If that one dies, this one records why, has its work undone, and lets it fail: another attempt
 * would end the same way.
 */
export class RemoteExecution implements RunningRequest {
  private isStopping = false;

  constructor(
    private readonly parts: RequestExecutions,
    private readonly row: ClaimedRow,
    private readonly supervisor: Pick<Link, 'ask' | 'tell'>,
  ) {}

  get rowId(): number {
    return this.row.row_id;
  }

  get ownerId(): number | null {
    return this.row.owner_id;
  }

  stop(): void {
    this.isStopping = true;
    this.abort('stopping');
  }

  cancel(): void {
    this.abort('cancelled');
  }

  async run(): Promise<boolean> {
    const renewal = setInterval(() => void this.renew(), RENEW_MS);
    try {
      return await this.execute();
    } catch (error) {
      this.parts.log.error({ err: error, request: this.row.id }, 'cannot record the result of a background request');
      return false;
    } finally {
      clearInterval(renewal);
    }
  }

  private async execute(): Promise<boolean> {
    for (let isUndo = false; ; isUndo = true) {
      const outcome = await this.ask();
      if (outcome.kind === 'done') return outcome.isRecorded;
      if (outcome.kind === 'not started') return this.release();
      if (outcome.cause === 'stopping') return this.release({ counts: true });
      if (!(await this.settle(outcome.cause, isUndo))) return true;
    }
  }

  private async ask(): Promise<Outcome> {
    const { row_id: rowId, id: name } = this.row;
    const value = { rowId, name, worker: this.parts.worker };
    return (await this.supervisor.ask('execute', { value })) ?? { kind: 'not started' };
  }

  private abort(reason: AbortOrder['reason']): void {
    this.supervisor.tell('abort', { rowId: this.rowId, reason });
  }

  /** @returns whether the work of the attempt is to be undone in another process */
  private async settle(cause: EndCause, isUndo: boolean): Promise<boolean> {
    const { row, parts } = this;
    parts.log.error({ request: row.id, cause }, 'a background request ended its process, and is not tried again');
    if (isUndo) {
      await this.conclude();
      return false;
    }
    if (cause === 'cancelled') return true;
    const verdict = verdictOn(cause, row.type, parts.config.requests);
    for (;;) {
      try {
        return await parts.requests.condemn(parts.db, this.rowId, parts.worker, verdict);
      } catch (error) {
        if (!isOutage(error) || this.isStopping) throw error;
        await pause(RETRY_MS);
      }
    }
  }

  /** The attempt to undo the work has ended its process, too. */
  private async conclude(): Promise<void> {
    const execution = await this.parts.adopt(this.rowId, this.parts.worker);
    await execution?.conclude();
  }

  /** @param counts whether the attempt counts; one that never began does not */
  private async release({ counts = false } = {}): Promise<boolean> {
    const { requests, db, worker, clock } = this.parts;
    if (counts || this.isStopping) await requests.release(db, this.rowId, worker, counts);
    else await requests.postpone(db, this.rowId, worker, new Date(clock.now().getTime() + OUTAGE_RETRY_MS), false);
    return true;
  }

  /** A lost lease is noticed by the process that executes the request. */
  private async renew(): Promise<void> {
    const { requests, db, worker, clock, log } = this.parts;
    try {
      await requests.renew(db, this.rowId, worker, new Date(clock.now().getTime() + LEASE_MS));
    } catch (error) {
      log.warn({ err: error, request: this.row.id }, 'cannot renew the lease of a background request');
    }
  }
}
