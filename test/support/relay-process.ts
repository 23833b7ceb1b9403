import type { PoolClient } from 'pg';
import { CONFIG, type Config } from '../../src/config/config.js';
import { Clock } from '../../src/core/clock.js';
import { abort, DatabaseUnavailable } from '../../src/core/database/database-client.js';
import { Db, type QueryOptions } from '../../src/core/database/db.js';
import { UnitOfWork } from '../../src/core/database/unit-of-work.js';
import { Discovery } from '../../src/core/discovery/discovery.js';
import { ListenerPositions } from '../../src/core/events/listener-positions.js';
import { ListenerRunners } from '../../src/core/events/listener-runners.js';
import type { Listener, Listeners } from '../../src/core/events/listeners.js';
import { ListenerTransactions } from '../../src/core/events/listener-transactions.js';
import { OutboxReader } from '../../src/core/events/outbox.reader.js';
import { OutboxRelay } from '../../src/core/events/outbox.relay.js';
import { OutboxSequencer } from '../../src/core/events/outbox.sequencer.js';
import { Quarantine } from '../../src/core/events/quarantine.js';
import { LOGGER, type Logger } from '../../src/core/logging/logger.js';
import { Metrics } from '../../src/core/metrics/metrics.js';
import type { Notifier } from '../../src/core/worker/notifier.js';
import type { Sql } from '../../src/engines/sql/sql.js';
import type { TestApp } from './app.js';

const dead = (): DatabaseUnavailable => new DatabaseUnavailable(new Error('The process is dead'));

/** The database as a process sees it that can be killed before any of its statements. */
class MortalDb extends Db {
  isDead = false;
  private readonly clients = new Set<PoolClient>();
  private statements = 0;

  constructor(
    private readonly real: Db,
    /** Number of statements that it survives. */
    private readonly life: number,
  ) {
    super(undefined as never);
  }

  kill(): void {
    this.isDead = true;
    for (const client of this.clients) abort(client);
  }

  override async query<T>(statement: Sql, options?: QueryOptions): Promise<T[]> {
    if (this.dies()) throw dead();
    return this.real.query<T>(statement, options);
  }

  override separatePool(max: number) {
    const pool = this.real.separatePool(max);
    const connect = async (): Promise<PoolClient> => {
      const client = await pool.connect();
      this.clients.add(client);
      const query = client.query.bind(client) as (...values: unknown[]) => unknown;
      const release = client.release.bind(client);
      Object.assign(client, {
        query: (...values: unknown[]) => (this.dies() ? Promise.reject(dead()) : query(...values)),
        release: (error?: Error) => {
          this.clients.delete(client);
          Object.assign(client, { query, release });
          release(this.isDead ? dead() : error);
        },
      });
      return client;
    };
    return Object.assign(Object.create(pool) as typeof pool, { connect, end: () => pool.end() });
  }

  private dies(): boolean {
    this.statements += 1;
    if (this.statements > this.life) this.kill();
    return this.isDead;
  }
}

/** The relay of a process of its own, on the database of an application. */
export class RelayProcess {
  readonly relay: OutboxRelay;
  private readonly db: MortalDb;
  private readonly transactions: ListenerTransactions;

  /** @param life number of statements before which the process is killed */
  constructor({ app, db }: TestApp, listeners: readonly Listener[], { life = Infinity, timeoutMs = 60_000 } = {}) {
    const given = app.get<Config>(CONFIG);
    const config = { ...given, events: { ...given.events, listenerTimeoutMs: timeoutMs } };
    const log = app.get<Logger>(LOGGER);
    const [clock, metrics] = [app.get(Clock), new Metrics()];
    this.db = new MortalDb(db, life);
    const known = { wanted: listeners, unwanted: [] } as unknown as Listeners;
    const work = new UnitOfWork(this.db, app.get(Discovery), clock);
    this.transactions = new ListenerTransactions(work, this.db, known, config);
    const [reader, positions] = [new OutboxReader(this.db), new ListenerPositions(this.db, clock)];
    const quarantine = new Quarantine(this.db, clock, metrics);
    const runners = new ListenerRunners(known, positions, quarantine, reader, this.transactions, clock, log);
    const notifier = { listen: () => () => undefined, notify: () => undefined, pollMs: () => 20 };
    const sequencer = new OutboxSequencer(this.transactions);
    const told = notifier as unknown as Notifier;
    this.relay = new OutboxRelay(sequencer, reader, runners, told, metrics, log);
  }

  /** Ends its connections, as the end of a process does. Nothing that still runs can write any more. */
  kill(): void {
    this.db.kill();
    this.transactions.giveUp(); // or a listener that hangs would delay the test
  }

  /** Releases what an ended process would not have any more. */
  async close(): Promise<void> {
    await this.relay.stop();
    await this.transactions.onApplicationShutdown();
  }
}

/** A listener that is a function. @param events names of its events; null: all, in batches */
export const listenerOf = (name: string, events: readonly string[] | null, call: Listener['call']): Listener => ({
  name,
  events: events === null ? null : new Set(events),
  isBatch: events === null,
  isOfExtension: false,
  call,
});
