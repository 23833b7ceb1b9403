import { withDatabase } from './with-database.js';

/** Applies pending migrations. */
export async function migrateCommand(): Promise<void> {
  const changes = await withDatabase(async (database) => database.changes);
  process.stdout.write(changes.length === 0 ? 'The database is up to date.\n' : `Changed: ${changes.join(', ')}\n`);
}
