import type { Config } from '../config/config.js';
import { readConfig } from '../config/env.js';
import { startEmbedded } from '../core/database/embedded/start-embedded.js';
import type { Extension } from '../core/extensions/extension.js';
import { loadExtensions } from '../core/extensions/load-extensions.js';
import { migrate } from '../migrate.js';
import { startProblem } from '../start-error.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface MigratedDatabase {
  /** The settings, with the address of the database that is really used. */
  readonly config: Config;
  readonly extensions: readonly Extension[];
  /** Names of the changes that were made to its schema. */
  readonly changes: readonly string[];
}

/**
 * Lets `use` work with the migrated database of the settings; a server may run beside it.
 * @throws what `use` throws, or why there is no database, as a sentence where the reason is known
 */
export async function withDatabase<T>(use: (database: MigratedDatabase) => Promise<T>): Promise<T> {
  const config = readConfig(process.env);
  const extensions = await loadExtensions(config.extensions);
  const embedded = config.databaseUrl === '' ? await startEmbedded({ dataDir: config.dataDir, log: quiet }) : null;
  try {
    const settings = { ...config, databaseUrl: embedded?.url ?? config.databaseUrl };
    const changes = await migrate(settings, extensions).catch((error: unknown) => {
      throw startProblem(error, config);
    });
    return await use({ config: settings, extensions, changes });
  } finally {
    await embedded?.stop();
  }
}
