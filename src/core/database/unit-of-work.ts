import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { Clock } from '../clock.js';
import { Discovery, methodHook } from '../discovery/discovery.js';
import { abort } from './database-client.js';
import { Db } from './db.js';
import { type CommitHook, Tx } from './tx.js';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const MAX_ATTEMPTS = 5;

/**
 * Runs the method in every transaction, after its last statement and after the `tx.beforeCommit` hooks. For a hook of a
 * single transaction use `tx.beforeCommit`.
 */
export const BeforeCommit = methodHook<void, CommitHook>();

export interface WorkOptions {
  /** Opens the connection. Default: one of the process's pool. */
  readonly connect?: () => Promise<PoolClient>;
  /**
   * Milliseconds for the change. After that, its connection is closed, which undoes it, and `WorkTimeout` is thrown,
   * although the change itself may go on: none of its statements has an effect any more.
   */
  readonly timeoutMs?: number;
  /** Ends the change in the same way, with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A change took longer than it may. */
export class WorkTimeout extends Error {
  override name = 'WorkTimeout';

  constructor(timeoutMs: number) {
    super(`It took longer than ${timeoutMs} ms.`);
  }
}

/** Runs each change in one transaction. */
@Injectable()
export class UnitOfWork {
  constructor(
    private readonly db: Db,
    private readonly discovery: Discovery,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `change` in a transaction. It is retried after a deadlock or serialization failure, so it must have no effects
   * outside `tx`; register those with `tx.afterCommit`.
   */
  async run<T>(change: (tx: Tx) => Promise<T>, options: WorkOptions = {}): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(change, options);
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !isRetryable(error)) throw error;
      }
    }
  }

  private async attempt<T>(change: (tx: Tx) => Promise<T>, { connect, ...limits }: WorkOptions): Promise<T> {
    const client = await (connect?.() ?? this.db.connect());
    const tx = new Tx(client, this.clock);
    let failure: Error | undefined;
    try {
      const result = await within(limits, change(tx), client);
      await tx.commit(this.discovery.methods(BeforeCommit).map(({ found }) => found));
      return result;
    } catch (error) {
      // Report the first error. A connection that cannot roll back is closed.
      await tx.rollback().catch((rollbackError: Error) => (failure = rollbackError));
      throw tx.causeOf(error);
    } finally {
      client.release(failure);
    }
  }
}

/** @throws WorkTimeout, the reason of the signal; then nothing can use the connection any more */
async function within<T>(
  { timeoutMs, signal }: Omit<WorkOptions, 'connect'>,
  result: Promise<T>,
  client: PoolClient,
): Promise<T> {
  if (timeoutMs === undefined && signal === undefined) return result;
  let reject: (reason: Error) => void = () => undefined;
  const ended = new Promise<never>((_, rejectIt) => (reject = rejectIt));
  const end = (reason: Error): void => {
    abort(client);
    reject(reason);
  };
  const onAbort = (): void => end(signal?.reason as Error);
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => end(new WorkTimeout(timeoutMs)), timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    return await Promise.race([result, ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function isRetryable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK;
}
