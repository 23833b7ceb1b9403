import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Config } from '../config/config.js';
import { ServerSecret } from './secret.js';

const FILE = 'installation.id';
const ADOPT = 'run "cairn adopt" with these settings';

/** The database belongs to another data folder or another secret. */
export class InstallationError extends Error {
  override name = 'InstallationError';
}

/**
 * Ensures that all processes on a database share its data folder and its secret. Otherwise some requests would not find
 * files or could not decrypt stored secrets. The first start binds the database to its own folder and secret.
 * @param config with the URL of the database in use, which must be migrated
 * @throws InstallationError for another data folder or secret
 */
export async function requireSameInstallation(config: Config): Promise<void> {
  await connected(config, async (client) => {
    const stored = await read(client);
    if (stored !== undefined) return compare(config, stored);
    await write(client, config, 'do nothing');
    const first = await read(client); // another process may have inserted it first
    if (first !== undefined) compare(config, first);
  });
}

/**
 * The problem that {@link requireSameInstallation} would report, without binding anything. @returns null if there is
 * none
 */
export async function installationProblem(client: Client, config: Config): Promise<string | null> {
  const { rows } = await client.query<{ there: boolean }>(`select to_regclass('installation') is not null as there`);
  const stored = rows[0]?.there === true ? await read(client) : undefined;
  try {
    if (stored !== undefined) compare(config, stored);
    return null;
  } catch (error) {
    if (error instanceof InstallationError) return error.message;
    throw error;
  }
}

/** Binds a database to the data folder and the secret of the settings, replacing any previous binding. */
export function adoptInstallation(config: Config): Promise<void> {
  return connected(config, (client) =>
    write(client, config, 'do update set folder_id = excluded.folder_id, secret_check = excluded.secret_check'),
  );
}

interface Installation {
  readonly folder_id: string;
  readonly secret_check: string;
}

async function connected<T>(config: Config, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: config.databaseUrl,
    connectionTimeoutMillis: config.databaseConnectTimeoutMs,
  });
  client.on('error', () => undefined); // a broken connection fails the next statement
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function read(client: Client): Promise<Installation | undefined> {
  const { rows } = await client.query<Installation>('select folder_id, secret_check from installation');
  return rows[0];
}

async function write(client: Client, config: Config, onConflict: string): Promise<void> {
  await client.query(
    `insert into installation (folder_id, secret_check) values ($1, $2) on conflict (id) ${onConflict}`,
    [readFolderId(config.dataDir) ?? makeFolderId(config.dataDir), secretCheck(config)],
  );
}

function compare(config: Config, { folder_id: folderId, secret_check: check }: Installation): void {
  const ownId = readFolderId(config.dataDir);
  if (ownId === undefined)
    throw new InstallationError(
      `The data folder ${config.dataDir} does not belong to the database: it has no file ${FILE}. Check that its disk is ` +
        `mounted, or set DATA_DIR to the folder that the other servers use. If this folder replaces it, ${ADOPT}.`,
    );
  if (ownId !== folderId)
    throw new InstallationError(
      `The database belongs to another data folder than ${config.dataDir}, and all processes on a database must use the same. ` +
        `Set DATA_DIR to the folder that the other servers use. If this folder replaces it, ${ADOPT}.`,
    );
  if (secretCheck(config) !== check)
    throw new InstallationError(
      'The database belongs to another SECRET_KEY, so its encrypted values cannot be read. Set SECRET_KEY to the value ' +
        `that the other servers use, or unset it if they do not set it. If the key is lost, ${ADOPT} and enter the secrets again.`,
    );
}

const secretCheck = (config: Config): string => new ServerSecret(config).keyFor('installation').toString('hex');

function readFolderId(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, FILE), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Written to a temporary file and linked to its name, so that two processes that start together read the same complete
 * id.
 */
function makeFolderId(folder: string): string {
  const path = join(folder, FILE);
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, `${randomUUID()}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(path, 'utf8').trim();
}
