import { rm } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { Notifier } from '../../core/worker/notifier.js';
import { OperationInProgress } from '../../core/http/errors/errors.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import type { Actor } from '../../shared/policy/actor.js';
import { RequestRepository } from './request.repository.js';

/** Work to do in the background. */
export interface BackgroundWork {
  /** As created by `requestIdOf`. */
  readonly id: string;
  /** `create:task`, …: must have a registered handler. */
  readonly type: string;
  readonly target: 'project' | 'task' | 'job';
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
      parameters: work.parameters,
      now: tx.now,
    });
    if (!inserted) throw new OperationInProgress(work.id);
    tx.afterCommit(() => {
      this.notifier.notify('requests');
      if (oldResult !== null) this.removeFile(oldResult);
    });
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
    rm(path, { force: true }).catch((error: unknown) =>
      this.log.warn({ err: error, path }, 'cannot remove an old result'),
    );
  }
}
