import 'reflect-metadata';
import { readConfig } from '../../src/config/env.js';
import { migrate } from '../../src/migrate.js';

/** Brings the database that every test clones up to date. Loaded outside Jest, once per run. */
export async function migrateTemplate(url: string): Promise<void> {
  await migrate(readConfig({ DATABASE_URL: url }));
}
