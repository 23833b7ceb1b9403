import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { CONFIG, type Config } from '../../config/config.js';
import { DatabaseUnavailable } from '../database/database-client.js';
import { Db } from '../database/db.js';
import type { Tx } from '../database/tx.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { Listeners } from './listeners.js';

/** Connections of a process that publishes events: one for each listener of the server, and one for the relay. */
export const LISTENER_CONNECTIONS = 5;

/**
 * Transactions of listeners. Their connections are of a pool that requests do not use, with one for each listener, so
 * that one that hangs takes none from others.
 */
@Injectable()
export class ListenerTransactions implements OnApplicationShutdown {
  /** Milliseconds for a listener's transaction. */
  readonly timeoutMs: number;
  private pool: Pool | undefined;
  private readonly ending = new AbortController();

  constructor(
    private readonly work: UnitOfWork,
    private readonly db: Db,
    private readonly listeners: Listeners,
    @Inject(CONFIG) config: Config,
  ) {
    this.timeoutMs = config.events.listenerTimeoutMs;
  }

  /** @param isLimited whether the change is undone after the time of a listener, with a `WorkTimeout` */
  run<T>(change: (tx: Tx) => Promise<T>, isLimited = false): Promise<T> {
    const pool = (this.pool ??= this.db.separatePool(this.listeners.wanted.length + 1)); // one for the relay
    const limits = isLimited ? { timeoutMs: this.timeoutMs, signal: this.ending.signal } : {};
    return this.work.run(change, { connect: () => pool.connect(), ...limits });
  }

  /** Undoes the limited transactions that are running. They are done again later, by another process. */
  giveUp(): void {
    this.ending.abort(new DatabaseUnavailable(new Error('The process is stopping')));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool?.end();
  }
}
