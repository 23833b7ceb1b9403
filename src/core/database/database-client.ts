import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';
import type { DatabaseHost } from '../../config/database-url.js';

/**
 * SQLSTATEs of a server that closes or refuses connections: class 08, shutdowns, too many connections, out of memory; and
 * of one that has become a standby, behind a pooler that still leads to it.
 */
const SERVER_UNAVAILABLE = /^(08...|57P0[1-5]|53200|53300|25006)$/;
/** Parameters that every server reports to its clients, at first and when they change. */
const READ_ONLY_PARAMETERS = ['in_hot_standby', 'default_transaction_read_only'];

/** The database cannot be reached, does not respond, or closed the connection. The same request may succeed later. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
  readonly code: string | undefined;

  constructor(cause: Error) {
    super(cause.message, { cause });
    this.code = (cause as NodeJS.ErrnoException).code;
  }
}

export const unavailable = (error: Error): DatabaseUnavailable =>
  error instanceof DatabaseUnavailable ? error : new DatabaseUnavailable(error);

type Done = (error: Error | undefined, ...results: unknown[]) => void;

/** Objects that the driver executes itself: queries, cursors, COPY streams. */
interface Submittable {
  submit: unknown;
  handleError(error: Error, connection: unknown): void;
  handleReadyForQuery(connection: unknown): void;
}

export interface DatabaseClientConfig extends pg.ClientConfig {
  /** Finds the server to connect to, if there are several. */
  readonly primary?: { find(): Promise<DatabaseHost>; forget(): void };
  /** Whether statements with a name stay prepared. A pooler may not support it. Default: true. */
  readonly prepared?: boolean;
}

/** What the driver's types omit. */
interface DriverConnection extends EventEmitter {
  readonly stream: Socket;
}

/**
 * A connection to a server that accepts writes. Its errors distinguish a lost connection from a failed statement. The
 * driver emits `error` events, several while a server dies; without a listener they would end the process.
 */
export class DatabaseClient extends pg.Client {
  declare host: string;
  declare port: number;
  declare pipeline: boolean;
  private isOpen = false;
  private isLost = false;
  private readonly readOnly = new Set<string>();

  constructor(private readonly config: DatabaseClientConfig = {}) {
    super(config);
    this.on('error', () => undefined).on('end', () => (this.isLost = true));
    connectionOf(this).on('parameterStatus', (status: ParameterStatus) => this.onParameter(status));
  }

  /** PostgreSQL's setting that makes this connection read-only; undefined if it accepts writes. */
  get readOnlyBy(): string | undefined {
    const [parameter] = this.readOnly;
    return parameter;
  }

  /** An `error` event means that the connection is lost. The pool passes it on to the running statement. */
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event !== 'error') return super.emit(event, ...(values as []));
    this.isLost = true;
    this.config.primary?.forget();
    return super.emit(event, ...([unavailable(values[0] as Error)] as unknown as []));
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | void {
    const connected = this.connectToPrimary();
    if (callback === undefined) return connected;
    connected.then(
      () => process.nextTick(callback),
      (error: Error) => process.nextTick(callback, error),
    );
  }

  private async connectToPrimary(): Promise<this> {
    const { primary } = this.config;
    try {
      if (primary !== undefined) Object.assign(this, await primary.find());
      await (super.connect() as unknown as Promise<this>);
      this.isOpen = true;
      if (this.readOnlyBy === undefined) return this;
      abort(this);
      throw new Error(`the server at ${this.host}:${this.port} accepts no writes: ${this.readOnlyBy} is on`);
    } catch (error) {
      primary?.forget();
      throw unavailable(error as Error);
    }
  }

  /** A primary that stops accepting writes tells its clients: they connect again, possibly to another server. */
  private onParameter({ parameterName, parameterValue }: ParameterStatus): void {
    if (!READ_ONLY_PARAMETERS.includes(parameterName)) return;
    if (parameterValue === 'on') this.readOnly.add(parameterName);
    else this.readOnly.delete(parameterName);
    if (this.isOpen && this.readOnly.size > 0) abort(this);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the driver's own signature, for all its overloads
  override query(...values: any[]): any {
    const [given, ...rest] = values as [unknown, ...unknown[]];
    const first = this.config.prepared === false ? withoutName(given) : given;
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
  connectionOf(client).stream.destroy();
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

const connectionOf = (client: pg.ClientBase): DriverConnection =>
  (client as unknown as { readonly connection: DriverConnection }).connection;

function withoutName(query: unknown): unknown {
  if (typeof query !== 'object' || query === null || isSubmittable(query)) return query;
  const { name: _, ...unnamed } = query as { name?: string };
  return unnamed;
}

const isSubmittable = (value: unknown): value is Submittable =>
  typeof value === 'object' && value !== null && typeof (value as Submittable).submit === 'function';
