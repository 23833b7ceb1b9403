import { readConfig } from '../config/env.js';
import { startEmbedded } from '../core/database/embedded/start-embedded.js';
import { migrate } from '../migrate.js';
import { startProblem } from '../start-error.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Brings the schema up to date. */
export async function migrateCommand(): Promise<void> {
  const config = readConfig(process.env);
  const database = config.databaseUrl === '' ? await startEmbedded({ dataDir: config.dataDir, log: quiet }) : null;
  try {
    const done = await migrate(database?.url ?? config.databaseUrl);
    process.stdout.write(done.length === 0 ? 'The database is up to date.\n' : `Changed: ${done.join(', ')}\n`);
  } catch (error) {
    throw startProblem(error, config);
  } finally {
    await database?.stop();
  }
}
