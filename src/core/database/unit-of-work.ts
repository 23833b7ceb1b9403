import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Discovery, methodHook } from '../discovery/discovery.js';
import { Db } from './db.js';
import { type CommitHook, Tx } from './tx.js';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const MAX_ATTEMPTS = 5;

/**
 * Calls the method as part of every transaction, after its last statement and what `tx.beforeCommit` was given. For what
 * belongs to one transaction use `tx.beforeCommit`.
 */
export const BeforeCommit = methodHook<void, CommitHook<[Tx]>>();

/** Runs changes, each in one transaction. */
@Injectable()
export class UnitOfWork {
  constructor(
    private readonly db: Db,
    private readonly discovery: Discovery,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `change` in a transaction. A deadlock or serialization failure runs it again, so it must have no effect
   * outside `tx`; such effects go to `tx.afterCommit`.
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
      // The first error matters; a connection that cannot roll back is closed.
      await tx.rollback().catch((rollbackError: Error) => (failure = rollbackError));
      throw error;
    } finally {
      client.release(failure);
    }
  }
}

function isRetryable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK;
}
