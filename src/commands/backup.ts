import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { backUp, type BackupResult } from '../backup/backup.js';
import { BackupError } from '../backup/backup-format.js';
import { openRestoreStorage } from '../backup/backup-storage.js';
import { restore } from '../backup/restore.js';
import { requireDataFolder } from '../data-folder.js';
import type { Config } from '../config/config.js';
import { readConfig } from '../config/env.js';
import { StartError } from '../start-error.js';
import { startProblem } from '../start-problem.js';
import { explained, isCut, openSource, openTarget, STANDARD } from './backup-archives.js';
import { withUnchangedDatabase } from './database.js';

export interface BackupArguments {
  readonly to: string;
  readonly secretKey: boolean;
}

/** Backs up the installation of the settings, while it runs, and reports on standard error. */
export async function backupCommand({ to, secretKey }: BackupArguments): Promise<void> {
  const settings = readConfig(process.env);
  requireInstallation(settings);
  const target = await openTarget(to, settings);
  const result = await withUnchangedDatabase(({ config, runsDatabase }) => {
    return backUp({ config, runsDatabase, target: target.stream, secretKey, onProgress: say }).catch(
      (error: unknown) => {
        throw error instanceof BackupError ? error : startProblem(error, config);
      },
    );
  }).catch(async (error: unknown) => {
    const problem = await target.discard();
    throw explained(isCut(error) ? (problem ?? error) : error, to);
  });
  await target.keep().catch((error: unknown) => {
    throw explained(error, to);
  });
  report(result, to);
}

/** The embedded database would be created if it were missing, and an empty installation backed up. @throws StartError */
function requireInstallation({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): void {
  if (databaseUrl !== '' || existsSync(join(dataDir, 'postgres', 'cluster'))) return;
  throw new StartError(
    `There is no installation in ${resolve(dataDir)}. Set DATA_DIR to the data folder of the installation, and DATABASE_URL if ` +
      'it uses its own PostgreSQL.',
  );
}

function report(result: BackupResult, to: string): void {
  const { created, rows, files, bytes, missing, missingCount, includesSecretKey } = result;
  const place = to === STANDARD ? '' : ` in ${to}`;
  say(`Backup of ${created}${place}: ${rows} rows, ${files} files, ${(bytes / 2 ** 20).toFixed(1)} MB.`);
  say(
    includesSecretKey
      ? 'It contains the secret key: whoever can read it can read everything. Store it accordingly.'
      : 'It does not contain the secret key. Keep SECRET_KEY, or the file secret.key of the data folder, as well.',
  );
  if (missingCount > 0)
    say(`Warning: ${missingCount} file(s) that the database refers to do not exist, such as ${missing[0]}.`);
}

export interface RestoreArguments {
  readonly from: string;
  readonly newSecret?: boolean;
  readonly webhooks: boolean;
}

/** Restores a backup into the empty database and data folder of the settings. */
export async function restoreCommand({ from, newSecret = false, webhooks }: RestoreArguments): Promise<void> {
  const source = await openSource(from, readConfig(process.env));
  try {
    const { header, manifest, migrated } = await withUnchangedDatabase(async ({ config, extensions }) => {
      await requireDataFolder(config.dataDir);
      const storage = openRestoreStorage(config);
      return restore({ config, extensions, storage, source, newSecret, webhooks }).catch((error: unknown) => {
        throw error instanceof BackupError ? error : startProblem(error, config);
      });
    });
    const rows = Object.values(manifest.rows).reduce((sum, count) => sum + count, 0);
    say(`Restored the backup of ${header.created}: ${rows} rows, ${manifest.files} files. All checksums match.`);
    if (migrated.length > 0)
      say(`Migrated the database from version ${header.cairn}: ${migrated.length} migration(s).`);
    if (manifest.missing.length > 0)
      say(`Warning: files were already missing when it was made, such as ${manifest.missing[0]}.`);
    if (!webhooks) say('All webhooks are inactive.');
  } catch (error) {
    throw explained(error, from);
  } finally {
    source.destroy();
  }
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);
