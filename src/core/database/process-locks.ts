import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Client } from 'pg';
import { CONFIG, type Config } from '../../config/config.js';

/** Without a lock for so long, the connection is given up. */
const IDLE_MS = 10_000;
const CONNECT_TIMEOUT_MS = 10_000;

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
   * @throws when the database cannot be reached
   */
  async take(name: string): Promise<ProcessLock | undefined> {
    if (this.names.has(name)) return undefined;
    this.names.add(name);
    clearTimeout(this.idle);
    try {
      const session = await this.open();
      const { rows } = await session.client.query<{ taken: boolean }>(
        'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
        [name],
      );
      if (rows[0]?.taken === true) return this.held(name, session);
    } catch (error) {
      this.forget(name);
      throw error;
    }
    this.forget(name);
    return undefined;
  }

  private held(name: string, session: Session): ProcessLock {
    return {
      get isLost() {
        return session.isLost;
      },
      release: async () => {
        try {
          if (!session.isLost) await session.client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
        } catch (error) {
          if (!session.isLost) throw error; // it ended with its connection
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
    const client = new Client({
      connectionString: this.config.databaseUrl,
      application_name: 'cairn locks',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
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
