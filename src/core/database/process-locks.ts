import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Client } from 'pg';
import { CONFIG, type Config } from '../../config/config.js';
import { abort, DatabaseClient, DatabaseUnavailable } from './database-pool.js';

/** Without a lock for so long, the connection is given up. */
const IDLE_MS = 10_000;

/** What one process may do at a time, of all that share the database. */
export interface ProcessLock {
  /** The connection broke that held it: another process may have it by now. */
  readonly isLost: boolean;
  release(): Promise<void>;
}

interface Session {
  readonly client: Client;
  isLost: boolean;
}

/**
 * Locks for work that takes as long as somebody's line is slow. One connection holds all those of this process, so that
 * the pool has its own for others, and a process that dies leaves none: PostgreSQL ends them with the connection.
 */
@Injectable()
export class ProcessLocks implements OnApplicationShutdown {
  /** A connection may take its own lock again, so those of this process are known here. */
  private readonly names = new Set<string>();
  private session: Promise<Session> | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  async onApplicationShutdown(): Promise<void> {
    await this.end();
  }

  /**
   * @param name the same for all processes
   * @returns undefined when somebody has it
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

  /** A connection that does not answer such a simple statement has lost its locks, or will. @throws DatabaseUnavailable */
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
          if (!(error instanceof DatabaseUnavailable)) throw error; // the lock ends with its connection
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
      query_timeout: this.config.databaseResponseTimeoutMs, // nothing here waits for anybody's lock
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
