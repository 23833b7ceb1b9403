import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg, { type PoolClient } from 'pg';
import { abort, DatabaseClient, type DatabaseClientConfig, unavailable } from './database-client.js';

/**
 * Sends the prepared statements of one event-loop turn with one system call. The driver corks and uncorks the socket
 * for each of them; here it stays corked until the turn ends.
 */
export class StatementSocket extends Socket {
  override uncork(): void {
    process.nextTick(() => super.uncork());
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the signature of Writable, for all its overloads
  override end(...values: any[]): this {
    while (this.writableCorked > 0) super.uncork();
    return super.end(...(values as []));
  }
}

const CHECK_EVERY_MS = 1000;
/** A timeout is split into steps, so that a pause of this process itself is not mistaken for a slow database. */
const STEPS = 10;

type Connected = (error: Error | undefined, client: PoolClient | undefined, done: (release?: unknown) => void) => void;
export interface DatabasePoolConfig extends pg.PoolConfig, Pick<DatabaseClientConfig, 'primary' | 'prepared'> {
  /** Milliseconds without a response after which the database counts as unavailable; undefined: never. */
  readonly responseTimeoutMs?: number | undefined;
}

/**
 * A pool that detects a database that stopped responding (a frozen machine, a lost network). While a connection is in
 * use for long, the pool opens a probe connection from time to time. If the probe times out, the pool closes all
 * connections and fails new ones immediately until the database responds again. Long statements on a responsive
 * database continue.
 */
export class DatabasePool extends pg.Pool {
  private readonly clients = new Set<PoolClient>();
  /** Start times of all current waits for, and uses of, a connection. */
  private readonly uses = new Set<{ readonly since: number }>();
  private readonly usesOf = new WeakMap<object, { readonly since: number }>();
  private isSilent = false;
  private isChecking = false;

  constructor(private readonly config: DatabasePoolConfig) {
    super({ ...config, Client: DatabaseClient, pipeline: true, stream: () => new StatementSocket() });
    this.on('connect', (client) => this.clients.add(client));
    this.on('remove', (client) => this.clients.delete(client));
    this.on('release', (_, client) => {
      const use = this.usesOf.get(client);
      if (use !== undefined) this.uses.delete(use);
    });
    if (config.responseTimeoutMs !== undefined) this.watch(config.responseTimeoutMs);
  }

  /** A pool with the same target, for connections that must not be taken from this one. The caller ends it. */
  another(max: number): DatabasePool {
    const pool = new DatabasePool({ ...this.config, max });
    pool.on('error', () => undefined); // it replaces a lost idle connection; the next query reports the error
    return pool;
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    if (callback !== undefined) return this.connectThen(callback);
    return new Promise((resolve, reject) => {
      this.connectThen((error, client) => (client === undefined ? reject(error) : resolve(client)));
    });
  }

  private connectThen(callback: Connected): void {
    if (this.isSilent) {
      process.nextTick(callback, unavailable(new Error('The database does not respond')), undefined, () => undefined);
      return;
    }
    const use = { since: performance.now() };
    this.uses.add(use);
    super.connect((error, client, done) => {
      if (client === undefined) this.uses.delete(use);
      else this.usesOf.set(client, use);
      callback(error && unavailable(error), client, done);
    });
  }

  private watch(timeoutMs: number): void {
    const timer = setInterval(() => {
      if (this.ended) clearInterval(timer);
      else if (!this.isChecking && this.needsCheck()) void this.check(timeoutMs);
    }, CHECK_EVERY_MS).unref();
  }

  private needsCheck(): boolean {
    const before = performance.now() - CHECK_EVERY_MS;
    return this.isSilent || [...this.uses].some(({ since }) => since < before);
  }

  private async check(timeoutMs: number): Promise<void> {
    this.isChecking = true;
    this.isSilent = !(await responds(this.config, timeoutMs));
    if (this.isSilent) {
      this.config.primary?.forget();
      for (const client of this.clients) abort(client);
    }
    this.isChecking = false;
  }
}

/** Whether the database responds to a new connection, even with an error. */
async function responds(config: DatabaseClientConfig, timeoutMs: number): Promise<boolean> {
  const client = new DatabaseClient({ ...config, connectionTimeoutMillis: 0 });
  let isDone = false;
  const answered = client
    .connect()
    .then(() => client.query('select 1'))
    .catch(() => undefined)
    .finally(() => {
      isDone = true;
    });
  const late = new AbortController();
  const timeout = async (): Promise<void> => {
    for (let step = 0; step < STEPS; step += 1)
      await pause(timeoutMs / STEPS, undefined, { ref: false, signal: late.signal });
  };
  await Promise.race([answered, timeout().catch(() => undefined)]);
  const isAnswered = isDone;
  late.abort();
  abort(client);
  return isAnswered;
}
