import { type Config, directUrl } from '../config/config.js';
import { readConfig } from '../config/env.js';
import { startEmbedded } from '../core/database/embedded/start-embedded.js';
import { type Extension, loadExtensions } from '../core/extensions/load-extensions.js';
import { migrate } from '../migrate.js';
import { startProblem } from '../start-problem.js';
import { adoptInstallation } from '../core/database/installation.js';
import { requireDataFolder } from '../data-folder.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface MigratedDatabase {
  /** The settings, with the URL of the database in use. */
  readonly config: Config;
  readonly extensions: readonly Extension[];
  /** Whether this process runs the database, and stops it at the end. */
  readonly runsDatabase: boolean;
  /** Names of the migrations that were applied. */
  readonly changes: readonly string[];
}

/**
 * Runs `use` with the migrated database of the settings. A server may be running at the same time.
 * @throws errors of `use`, or why the database is not available, as one sentence if the reason is known
 */
export async function withDatabase<T>(use: (database: MigratedDatabase) => Promise<T>): Promise<T> {
  return withUnchangedDatabase(async (database) => {
    const { config, extensions } = database;
    const changes = await migrate(config, extensions).catch((error: unknown) => {
      throw startProblem(error, config);
    });
    return use({ ...database, changes });
  });
}

/** As {@link withDatabase}, without migrating the database. */
export async function withUnchangedDatabase<T>(
  use: (database: Omit<MigratedDatabase, 'changes'>) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  const extensions = await loadExtensions(config.extensions);
  const embedded = config.databaseUrl === '' ? await startEmbedded({ dataDir: config.dataDir, log: quiet }) : null;
  try {
    // A command needs no pooler.
    const settings = { ...config, databaseUrl: embedded?.url ?? directUrl(config), databaseDirectUrl: '' };
    return await use({ config: settings, extensions, runsDatabase: embedded?.isGuest === false });
  } finally {
    await embedded?.stop();
  }
}

/** Binds the database to the data folder and the secret of the settings. */
export async function adopt(): Promise<void> {
  await withDatabase(async ({ config }) => {
    await requireDataFolder(config.dataDir);
    await adoptInstallation(config);
    process.stdout.write(`The database now belongs to the data folder ${config.dataDir} and its secret key.\n`);
  });
}

/** Applies pending migrations. */
export async function migrateCommand(): Promise<void> {
  const changes = await withDatabase(async (database) => database.changes);
  process.stdout.write(changes.length === 0 ? 'The database is up to date.\n' : `Applied: ${changes.join(', ')}\n`);
}
