import type { DataSource } from 'typeorm';
import { createDataSource, type DatabaseOptions } from '../../src/core/database/data-source.js';
import { createTestDatabase } from './database.js';

/** TypeORM on a database of its own. */
export interface TestDataSource {
  readonly dataSource: DataSource;
  /** Of the database. */
  readonly url: string;
  close(): Promise<void>;
}

/** @param known what TypeORM is to know of the schema; nothing by default, which is enough for statements */
export async function openTestDataSource(
  known: Pick<DatabaseOptions, 'entities' | 'migrations'> = { entities: [], migrations: [] },
): Promise<TestDataSource> {
  const { url, drop } = await createTestDatabase();
  const dataSource = await createDataSource({ url, poolSize: 2, connectTimeoutMs: 45_000, ...known }).initialize();
  const close = async (): Promise<void> => {
    await dataSource.destroy();
    await drop();
  };
  return { dataSource, url, close };
}
