import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg, { type PoolClient } from 'pg';

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

/**
 * SQLSTATEs of a server that closes or refuses connections: class 08, shutdowns, too many connections, out of memory.
 */
const SERVER_UNAVAILABLE = /^(08...|57P0[1-5]|53200|53300)$/;

/** The database cannot be reached, does not respond, or closed the connection. The same request may succeed later. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
  readonly code: string | undefined;

  constructor(cause: Error) {
    super(cause.message, { cause });
    this.code = (cause as NodeJS.ErrnoException).code;
  }
}

const unavailable = (error: Error): DatabaseUnavailable =>
  error instanceof DatabaseUnavailable ? error : new DatabaseUnavailable(error);

type Connected = (error: Error | undefined, client: PoolClient | undefined, done: (release?: unknown) => void) => void;
type Done = (error: Error | undefined, ...results: unknown[]) => void;

/** Objects that the driver executes itself: queries, cursors, COPY streams. */
interface Submittable {
  submit: unknown;
  handleError(error: Error, connection: unknown): void;
  handleReadyForQuery(connection: unknown): void;
}

/**
 * A connection whose errors distinguish a lost connection from a failed statement. The driver emits `error` events,
 * several while a server dies; without a listener they would end the process.
 */
export class DatabaseClient extends pg.Client {
  declare pipeline: boolean;
  private isLost = false;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined).on('end', () => (this.isLost = true));
  }

  /** An `error` event means that the connection is lost. The pool passes it on to the running statement. */
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event !== 'error') return super.emit(event, ...(values as []));
    this.isLost = true;
    return super.emit(event, ...([unavailable(values[0] as Error)] as unknown as []));
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | void {
    if (callback !== undefined)
      return super.connect((error: Error) => callback(error instanceof Error ? unavailable(error) : error));
    return (super.connect() as unknown as Promise<this>).catch((error: Error) => {
      throw unavailable(error);
    });
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the driver's own signature, for all its overloads
  override query(...values: any[]): any {
    const [first, ...rest] = values as [unknown, ...unknown[]];
    if (isSubmittable(first)) this.runAlone(first);
    const wrapped = rest.map((value) => (typeof value === 'function' ? this.wrapped(value as Done) : value));
    const result: unknown = (super.query as (...values: unknown[]) => unknown).call(this, first, ...wrapped);
    if (!(result instanceof Promise)) return result;
    return result.catch((error: Error) => {
      throw this.classified(error);
    });
  }

  /**
   * The driver pipelines ordinary queries but not COPY and cursors. Until one of these completes, statements are sent
   * one at a time. At most one other statement may be running when it starts.
   */
  private runAlone(query: Submittable): void {
    const { pipeline } = this;
    this.pipeline = false;
    const handleError = query.handleError.bind(query);
    query.handleError = (error, connection) => {
      this.pipeline = pipeline;
      handleError(this.classified(error), connection);
    };
    const handleReadyForQuery = query.handleReadyForQuery.bind(query);
    query.handleReadyForQuery = (connection) => {
      this.pipeline = pipeline;
      handleReadyForQuery(connection);
    };
  }

  private wrapped(done: Done): Done {
    return (error, ...results) => done(error instanceof Error ? this.classified(error) : error, ...results);
  }

  private classified(error: Error): Error {
    const isAway = error instanceof pg.DatabaseError ? SERVER_UNAVAILABLE.test(error.code ?? '') : this.isLost;
    return isAway ? unavailable(error) : error;
  }
}

/** Closes a connection immediately; running statements fail. */
export function abort(client: pg.ClientBase): void {
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream.destroy();
}

const isSubmittable = (value: unknown): value is Submittable =>
  typeof value === 'object' && value !== null && typeof (value as Submittable).submit === 'function';

export interface DatabasePoolConfig extends pg.PoolConfig {
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
    if (this.isSilent) for (const client of this.clients) abort(client);
    this.isChecking = false;
  }
}

/** Whether the database responds to a new connection, even with an error. */
async function responds(config: pg.ClientConfig, timeoutMs: number): Promise<boolean> {
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
