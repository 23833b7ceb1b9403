import pg from 'pg';
import {
  DataSource,
  type DataSourceOptions,
  DefaultNamingStrategy,
  type EntityTarget,
  type MigrationInterface,
  type NamingStrategyInterface,
  type ObjectLiteral,
  type Table,
} from 'typeorm';
import { clientConfig } from './client-config.js';
import { DatabasePool } from './database-pool.js';
import { asOptions, POOL_SETTINGS, TRACKED_SETTINGS } from './session-settings.js';

type MigrationClass = new () => MigrationInterface;

export interface DatabaseOptions {
  readonly url: string;
  /** Whether `url` leads to a connection pooler, which passes on no settings of sessions. Default: false. */
  readonly pooled?: boolean;
  /** Whether statements stay prepared. Default: true. */
  readonly prepared?: boolean;
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
    entities: [...options.entities] as (new () => object)[],
    migrations: [...options.migrations],
    migrationsTableName: 'schema_migration',
    namingStrategy: new SnakeNaming(),
    synchronize: false,
    logging: false,
    applicationName: 'cairn',
    poolErrorHandler: () => undefined, // the pool replaces a lost idle connection; the next query reports the error
    extra: {
      ...clientConfig(options.url, options.pooled === true ? '' : asOptions(POOL_SETTINGS)),
      ...(options.pooled === true ? { onConnect: setTracked } : {}),
      prepared: options.prepared,
      max: options.poolSize,
      connectionTimeoutMillis: options.connectTimeoutMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      responseTimeoutMs: options.responseTimeoutMs,
    },
  };
}

/** A pooler that lends a session for each transaction restores these settings, which servers report to clients. */
const setTracked = (client: pg.ClientBase): Promise<unknown> =>
  client.query(
    Object.entries(TRACKED_SETTINGS)
      .map(([name, value]) => `set ${name} = '${value}'`)
      .join('; '),
  );

/** A data source that is not connected yet. */
export function createDataSource(options: DatabaseOptions): DataSource {
  return new DataSource(dataSourceOptions(options));
}

const snake = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
const tableName = (table: Table | string): string =>
  (typeof table === 'string' ? table : table.name).split('.').pop() ?? '';
const constraint = (prefix: string, table: Table | string, columns: readonly string[]): string =>
  [prefix, tableName(table), ...columns.map(snake)].join('_');

/** snake_case names for tables and columns, and readable constraint names for error messages and plans. */
class SnakeNaming extends DefaultNamingStrategy implements NamingStrategyInterface {
  override tableName(className: string, customName?: string): string {
    return customName ?? snake(className);
  }

  override columnName(propertyName: string, customName: string | undefined, prefixes: string[]): string {
    return snake([...prefixes, customName ?? propertyName].join('_'));
  }

  override joinColumnName(relationName: string, referencedColumnName: string): string {
    return snake(`${relationName}_${referencedColumnName}`);
  }

  override primaryKeyName(table: Table | string): string {
    return constraint('pk', table, []);
  }

  override foreignKeyName(table: Table | string, columns: string[]): string {
    return constraint('fk', table, columns);
  }

  override uniqueConstraintName(table: Table | string, columns: string[]): string {
    return constraint('uq', table, columns);
  }

  override relationConstraintName(table: Table | string, columns: string[]): string {
    return constraint('uq', table, columns);
  }

  override indexName(table: Table | string, columns: string[]): string {
    return constraint('ix', table, columns);
  }
}

/**
 * Wire form of PostgreSQL's timestamptz text in a UTC session: `2026-01-02 03:04:05.1+00` becomes
 * `2026-01-02T03:04:05.100000Z`; microseconds only when they are not zero. Text, because a `Date` has no microseconds.
 */
export function timestampToWire(text: string): string {
  if (!text.endsWith(UTC)) return text;
  const space = text.indexOf(' ');
  const end = text.length - UTC.length;
  const point = text.indexOf('.', space);
  const zeros = point === -1 ? '' : '0'.repeat(point + 1 + MICROSECONDS - end);
  return `${text.slice(0, space)}T${text.slice(space + 1, end)}${zeros}Z`;
}

const UTC = '+00';
/** Digits of the fraction of a second. */
const MICROSECONDS = 6;

/** Wire form of a date, as it is read after it was written to a column. */
export function dateToWire(date: Date): string {
  const text = date.toISOString();
  return text.endsWith('.000Z') ? text.replace('.000Z', 'Z') : text.replace('Z', '000Z');
}

/** Registers the driver's parsers, process-wide: timestamps in wire form, 64-bit ids and counts as numbers. */
function registerPgTypes(): void {
  const { INT8, NUMERIC, TIMESTAMPTZ } = pg.types.builtins;
  pg.types.setTypeParser(TIMESTAMPTZ, timestampToWire);
  pg.types.setTypeParser(INT8, Number);
  pg.types.setTypeParser(NUMERIC, Number);
}
