import 'reflect-metadata';
import { readConfig } from '../../src/config/env.js';
import { migrate } from '../../src/migrate.js';

/** Migrates the database that every test clones. Runs outside Jest, once per run. */
export async function migrateTemplate(url: string): Promise<void> {
  await migrate(readConfig({ DATABASE_URL: url }));
}
