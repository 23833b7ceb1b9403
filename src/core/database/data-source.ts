import pg from 'pg';
import {
  DataSource,
  type DataSourceOptions,
  type EntityTarget,
  type MigrationInterface,
  type ObjectLiteral,
} from 'typeorm';
import { DatabasePool } from './database-pool.js';
import { SnakeNaming } from './naming.js';
import { registerPgTypes } from './pg-types.js';
import { asOptions, SESSION_SETTINGS } from './session-settings.js';

type MigrationClass = new () => MigrationInterface;

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Timeout for opening a connection, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Milliseconds without a response after which the database counts as unavailable; undefined: never. */
  readonly responseTimeoutMs?: number;
  readonly entities: readonly EntityTarget<ObjectLiteral>[];
  readonly migrations: readonly MigrationClass[];
}

/**
 * TypeORM's options for the server's database. Sessions run in UTC. A statement that runs for minutes is a bug, so a
 * timeout cancels it. Only migrations change the schema.
 */
export function dataSourceOptions(options: DatabaseOptions): DataSourceOptions {
  registerPgTypes();
  return {
    type: 'postgres',
    driver: { ...pg, Pool: DatabasePool },
    url: options.url,
    entities: [...options.entities] as (new () => object)[],
    migrations: [...options.migrations],
    migrationsTableName: 'schema_migration',
    namingStrategy: new SnakeNaming(),
    synchronize: false,
    logging: false,
    applicationName: 'cairn',
    poolErrorHandler: () => undefined, // the pool replaces a lost idle connection; the next query reports the error
    extra: {
      max: options.poolSize,
      connectionTimeoutMillis: options.connectTimeoutMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      responseTimeoutMs: options.responseTimeoutMs,
      options: asOptions({
        ...SESSION_SETTINGS,
        timezone: 'UTC',
        statement_timeout: '300000',
        idle_in_transaction_session_timeout: '120000',
      }),
    },
  };
}

/** A data source that is not connected yet. */
export function createDataSource(options: DatabaseOptions): DataSource {
  return new DataSource(dataSourceOptions(options));
}
