import type { DataSource } from 'typeorm';
import { createDataSource, type DatabaseOptions } from '../../src/core/database/data-source.js';
import { createTestDatabase } from './database.js';

/** TypeORM on its own database. */
export interface TestDataSource {
  readonly dataSource: DataSource;
  /** URL of the database. */
  readonly url: string;
  close(): Promise<void>;
}

/** @param known the parts of the schema that TypeORM should know; none by default, which is enough for statements */
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
