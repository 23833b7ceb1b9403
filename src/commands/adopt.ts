import { adoptInstallation } from '../core/installation.js';
import { requireDataFolder } from '../data-folder.js';
import { withDatabase } from './with-database.js';

/** Binds the database to the data folder and the secret of the settings. */
export async function adopt(): Promise<void> {
  await withDatabase(async ({ config }) => {
    await requireDataFolder(config.dataDir);
    await adoptInstallation(config);
    process.stdout.write(`The database belongs to the data folder ${config.dataDir} and its secret now.\n`);
  });
}
