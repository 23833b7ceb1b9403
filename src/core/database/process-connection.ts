import { hostname } from 'node:os';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Client } from 'pg';
import { CONFIG, type Config, directUrl } from '../../config/config.js';
import { packageVersion } from '../../config/version.js';
import { clientConfig } from './client-config.js';
import { abort, DatabaseClient, type DatabaseClientConfig, DatabaseUnavailable } from './database-client.js';

/** Time without any use after which the connection is closed. */
const IDLE_MS = 10_000;

/** Begins the name of each process's connection in `pg_stat_activity`. */
export const CONNECTION_NAME = 'cairn locks';
const MAX_HOST = 24;

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
  private isStopping = false;
  private name = CONNECTION_NAME;

  private readonly target: DatabaseClientConfig;

  constructor(@Inject(CONFIG) private readonly config: Config) {
    this.target = clientConfig(directUrl(config));
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.end();
  }

  /**
   * Names the connection that is opened later after this process, which is how `cairn doctor` sees what runs.
   * @param role such as `server`
   */
  nameAfter(role: string): void {
    const host = hostname().slice(0, MAX_HOST); // PostgreSQL truncates names to 63 bytes
    this.name = `${CONNECTION_NAME}: ${role} ${packageVersion()} ${host} ${process.pid}`;
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

  /** Connects unless connected. @throws DatabaseUnavailable, also when the process is stopping */
  open(): Promise<ProcessSession> {
    if (this.isStopping) return Promise.reject(new DatabaseUnavailable(new Error('The process is stopping')));
    this.session ??= this.connect().catch((error: unknown) => {
      this.session = undefined;
      throw error;
    });
    return this.session;
  }

  /** Closes a connection that no longer responds, as after a failover from a machine that vanished. */
  async check({ client }: ProcessSession): Promise<void> {
    await client.query('select 1').catch(() => abort(client));
  }

  private async connect(): Promise<ProcessSession> {
    const client = new DatabaseClient({
      ...this.target,
      application_name: this.name,
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
