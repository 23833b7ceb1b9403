import 'reflect-metadata';
import { migrate } from '../../src/migrate.js';

/** Brings the database that every test clones up to date. Loaded outside Jest, once per run. */
export async function migrateTemplate(url: string): Promise<void> {
  await migrate(url);
}
