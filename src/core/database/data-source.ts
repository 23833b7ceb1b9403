import type { ClientBase } from 'pg';
import {
  DataSource,
  type DataSourceOptions,
  type EntityTarget,
  type MigrationInterface,
  type ObjectLiteral,
} from 'typeorm';
import { SnakeNaming } from './naming.js';
import { registerPgTypes } from './pg-types.js';

type MigrationClass = new () => MigrationInterface;

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Milliseconds to wait for a connection. */
  readonly connectTimeoutMs: number;
  readonly entities: readonly EntityTarget<ObjectLiteral>[];
  readonly migrations: readonly MigrationClass[];
}

/**
 * TypeORM's options for the server's database. Sessions run in UTC; a statement that takes minutes is a defect, so it
 * is ended; the schema changes by migrations alone.
 */
export function dataSourceOptions(options: DatabaseOptions): DataSourceOptions {
  registerPgTypes();
  return {
    type: 'postgres',
    url: options.url,
    entities: [...options.entities] as (new () => object)[],
    migrations: [...options.migrations],
    migrationsTableName: 'schema_migration',
    namingStrategy: new SnakeNaming(),
    synchronize: false,
    logging: false,
    applicationName: 'cairn',
    poolErrorHandler: () => undefined, // a lost idle connection is replaced by the pool; the next query reports
    extra: {
      max: options.poolSize,
      connectionTimeoutMillis: options.connectTimeoutMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      onConnect: survive,
      options: '-c timezone=UTC -c statement_timeout=300000 -c idle_in_transaction_session_timeout=120000',
    },
  };
}

/**
 * A connection that is cut says so to the statement that waits for it, or to the next one. It also emits an event, more
 * than one while the database dies, and an event that nobody listens to would end the process.
 */
function survive(client: ClientBase): void {
  client.on('error', () => undefined);
}

/** A data source that is not yet connected. */
export function createDataSource(options: DatabaseOptions): DataSource {
  return new DataSource(dataSourceOptions(options));
}
