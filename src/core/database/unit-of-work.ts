import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Discovery, methodHook } from '../discovery/discovery.js';
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
  async run<T>(change: (tx: Tx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(change);
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !isRetryable(error)) throw error;
      }
    }
  }

  private async attempt<T>(change: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.db.connect();
    const tx = new Tx(client, this.clock);
    let failure: Error | undefined;
    try {
      const result = await change(tx);
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

function isRetryable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK;
}
