import { Inject, Injectable } from '@nestjs/common';
import { DataSource, QueryRunnerAlreadyReleasedError } from 'typeorm';
import type { ClientBase } from 'pg';
import { Clock } from '../clock.js';
import { Discovery, methodHook } from '../discovery/discovery.js';
import { DatabaseUnavailable } from './database-pool.js';
import { Tx } from './tx.js';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const MAX_ATTEMPTS = 5;

/**
 * Calls the method as part of every transaction, after its last statement and what `tx.beforeCommit` was given. For what
 * belongs to one transaction use `tx.beforeCommit`.
 */
export const BeforeCommit = methodHook<void, (tx: Tx) => Promise<void>>();

/** Runs changes, each in one transaction. */
@Injectable()
export class UnitOfWork {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(Discovery) private readonly discovery: Discovery,
    @Inject(Clock) private readonly clock: Clock,
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
    const runner = this.dataSource.createQueryRunner();
    const client = (await runner.connect()) as ClientBase;
    try {
      await runner.startTransaction();
      const tx = new Tx(runner.manager, client, this.clock);
      const result = await change(tx);
      await tx.committing();
      for (const { found } of this.discovery.methods(BeforeCommit)) await found(tx);
      await runner.commitTransaction();
      tx.committed();
      return result;
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined); // the first error matters
      // TypeORM releases the runner of a lost connection: no statement can be run after that.
      throw error instanceof QueryRunnerAlreadyReleasedError ? new DatabaseUnavailable(error) : error;
    } finally {
      await runner.release();
    }
  }
}

function isRetryable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK;
}
