import { Injectable } from '@nestjs/common';
import { abort, DatabaseUnavailable } from './database-client.js';
import { ProcessConnection, type ProcessSession } from './process-connection.js';

/** A lock that one process at a time holds, among all that share the database. */
export interface ProcessLock {
  /** The connection that held the lock broke, so another process may hold it by now. */
  readonly isLost: boolean;
  release(): Promise<void>;
}

/**
 * Advisory locks for work whose duration depends on a client's network. The process's own connection holds them, so they
 * use no pool connections, and PostgreSQL releases them if the process dies.
 */
@Injectable()
export class ProcessLocks {
  /**
   * The locks this process holds, with what ends their use of the connection: PostgreSQL lets a session take its own lock
   * again.
   */
  private readonly uses = new Map<string, () => void>();

  constructor(private readonly connection: ProcessConnection) {}

  /**
   * @param name the same in all processes
   * @returns undefined if the lock is held
   * @throws DatabaseUnavailable
   */
  async take(name: string): Promise<ProcessLock | undefined> {
    if (this.uses.has(name)) return undefined;
    this.uses.set(name, this.connection.use());
    try {
      const session = await this.connection.open();
      const rows = await this.query<{ taken: boolean }>(session, 'pg_try_advisory_lock', name);
      if (rows[0]?.taken === true) return this.held(name, session);
    } catch (error) {
      this.forget(name);
      throw error;
    }
    this.forget(name);
    return undefined;
  }

  /**
   * If a statement as simple as this one times out, the connection has lost its locks or will. @throws
   * DatabaseUnavailable
   */
  private async query<T extends object>({ client }: ProcessSession, lock: string, name: string): Promise<T[]> {
    try {
      const { rows } = await client.query<T>(`select ${lock}(hashtextextended($1, 0)) as taken`, [name]);
      return rows;
    } catch (error) {
      abort(client);
      throw error instanceof DatabaseUnavailable ? error : new DatabaseUnavailable(error as Error);
    }
  }

  private held(name: string, session: ProcessSession): ProcessLock {
    return {
      get isLost() {
        return session.isLost;
      },
      release: async () => {
        try {
          if (!session.isLost) await this.query(session, 'pg_advisory_unlock', name);
        } catch (error) {
          if (!(error instanceof DatabaseUnavailable)) throw error; // the lock is released with its connection
        } finally {
          this.forget(name);
        }
      },
    };
  }

  private forget(name: string): void {
    this.uses.get(name)?.();
    this.uses.delete(name);
  }
}
