import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Client } from 'pg';
import { CONFIG, type Config } from '../../config/config.js';
import { abort, DatabaseClient, DatabaseUnavailable } from './database-pool.js';

/** Time without any lock after which the connection is closed. */
const IDLE_MS = 10_000;

/** A lock that one process at a time holds, among all that share the database. */
export interface ProcessLock {
  /** The connection that held the lock broke, so another process may hold it by now. */
  readonly isLost: boolean;
  release(): Promise<void>;
}

interface Session {
  readonly client: Client;
  isLost: boolean;
}

/**
 * Advisory locks for work whose duration depends on a client's network. One dedicated connection holds all locks of
 * this process, so they use no pool connections. If a process dies, PostgreSQL releases its locks with the connection.
 */
@Injectable()
export class ProcessLocks implements OnApplicationShutdown {
  /** PostgreSQL lets a session take its own lock again, so this process tracks the locks it holds. */
  private readonly names = new Set<string>();
  private session: Promise<Session> | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  async onApplicationShutdown(): Promise<void> {
    await this.end();
  }

  /**
   * @param name the same in all processes
   * @returns undefined if the lock is held
   * @throws DatabaseUnavailable
   */
  async take(name: string): Promise<ProcessLock | undefined> {
    if (this.names.has(name)) return undefined;
    this.names.add(name);
    clearTimeout(this.idle);
    try {
      const session = await this.open();
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
  private async query<T extends object>({ client }: Session, lock: string, name: string): Promise<T[]> {
    try {
      const { rows } = await client.query<T>(`select ${lock}(hashtextextended($1, 0)) as taken`, [name]);
      return rows;
    } catch (error) {
      abort(client);
      throw error instanceof DatabaseUnavailable ? error : new DatabaseUnavailable(error as Error);
    }
  }

  private held(name: string, session: Session): ProcessLock {
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
    this.names.delete(name);
    clearTimeout(this.idle);
    if (this.names.size === 0) this.idle = setTimeout(() => void this.end(), IDLE_MS).unref();
  }

  private open(): Promise<Session> {
    this.session ??= this.connect().catch((error: unknown) => {
      this.session = undefined;
      throw error;
    });
    return this.session;
  }

  private async connect(): Promise<Session> {
    const client = new DatabaseClient({
      connectionString: this.config.databaseUrl,
      application_name: 'cairn locks',
      connectionTimeoutMillis: this.config.databaseConnectTimeoutMs,
      query_timeout: this.config.databaseResponseTimeoutMs, // no statement here waits for a lock
      keepAlive: true,
    });
    const session: Session = { client, isLost: false };
    const lose = (): void => {
      session.isLost = true;
      this.session = undefined;
    };
    client.on('error', lose).on('end', lose);
    await client.connect();
    return session;
  }

  private async end(): Promise<void> {
    clearTimeout(this.idle);
    const session = await this.session?.catch(() => undefined);
    this.session = undefined;
    await session?.client.end();
  }
}
