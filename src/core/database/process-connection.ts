import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Client } from 'pg';
import { CONFIG, type Config } from '../../config/config.js';
import { DatabaseClient } from './database-pool.js';

/** Time without any use after which the connection is closed. */
const IDLE_MS = 10_000;

export interface ProcessSession {
  readonly client: Client;
  /** The connection broke, and with it ended the state of its session. */
  isLost: boolean;
}

/**
 * One connection of this process outside of the pool, for what PostgreSQL ties to a session: advisory locks that outlast
 * transactions, and LISTEN. If the process dies, PostgreSQL ends the session with the connection.
 */
@Injectable()
export class ProcessConnection implements OnApplicationShutdown {
  private session: Promise<ProcessSession> | undefined;
  private connected: ProcessSession | undefined;
  private uses = 0;
  private idle: NodeJS.Timeout | undefined;

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  async onApplicationShutdown(): Promise<void> {
    await this.end();
  }

  /** The session, if the connection is open. */
  get current(): ProcessSession | undefined {
    return this.connected;
  }

  /** Keeps the connection open once it is opened. @returns a function that ends this use */
  use(): () => void {
    this.uses += 1;
    clearTimeout(this.idle);
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      this.uses -= 1;
      if (this.uses === 0) this.idle = setTimeout(() => void this.end(), IDLE_MS).unref();
    };
  }

  /** Connects unless connected. @throws DatabaseUnavailable */
  open(): Promise<ProcessSession> {
    this.session ??= this.connect().catch((error: unknown) => {
      this.session = undefined;
      throw error;
    });
    return this.session;
  }

  private async connect(): Promise<ProcessSession> {
    const client = new DatabaseClient({
      connectionString: this.config.databaseUrl,
      application_name: 'cairn locks',
      connectionTimeoutMillis: this.config.databaseConnectTimeoutMs,
      query_timeout: this.config.databaseResponseTimeoutMs, // no statement here waits for a lock
      keepAlive: true,
    });
    const session: ProcessSession = { client, isLost: false };
    const lose = (): void => {
      if (session.isLost) return;
      session.isLost = true;
      this.session = undefined;
      this.connected = undefined;
    };
    client.on('error', lose).on('end', lose);
    await client.connect();
    if (!session.isLost) this.connected = session;
    return session;
  }

  private async end(): Promise<void> {
    clearTimeout(this.idle);
    const session = await this.session?.catch(() => undefined);
    this.session = undefined;
    this.connected = undefined;
    await session?.client.end();
  }
}
