import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { type Config, directUrl } from '../../config/config.js';
import { createOnce } from '../create-once.js';
import { clientConfig } from './client-config.js';
import { DatabaseClient } from './database-client.js';
import { ServerSecret } from '../secret.js';

/** In the data folder: the id of the installation that it belongs to. */
export const FILE = 'installation.id';
/** Held by the process that binds the database. */
const LOCK = 'bind installation';
const ADOPT = 'run "cairn adopt" with these settings';

/** The database belongs to another data folder or another secret. */
export class InstallationError extends Error {
  override name = 'InstallationError';
}

/**
 * Ensures that all processes on a database share its files and its secret. Otherwise some requests would not find files or
 * could not decrypt stored secrets. The first start binds the database to its own data folder or bucket, and to its secret.
 * If all files are in a bucket, each machine has a data folder of its own.
 * @param config with the URL of the database in use, which must be migrated
 * @param claim takes the place of MEDIA_URL for the id of the installation, before the first start records it; an error
 *   prevents that
 * @returns the recorded installation
 * @throws InstallationError for another data folder or secret
 */
export async function requireSameInstallation(
  config: Config,
  claim: (id: string) => Promise<void> = () => Promise.resolve(),
): Promise<Installation> {
  return connected(config, async (client) => {
    const stored = (await read(client)) ?? (await bind(client, config, claim));
    if (stored === undefined) throw new InstallationError('The database has lost its table "installation".');
    compare(config, stored);
    return stored;
  });
}

/** A sentence if MEDIA_URL differs from the place that the database records, which takes precedence. */
export function mediaUrlWarning(
  { media }: Config,
  { media_url: url, media_target: target }: Installation,
): string | null {
  if (media.url === url || media.url === target) return null;
  const named = (place: string): string => (place === '' ? 'the data folder' : place);
  return (
    `The files of this installation are in ${named(url)}, but MEDIA_URL names ${named(media.url)}. Set MEDIA_URL to ` +
    `"${url}", or move the files with "cairn move-media --to ${media.url || 'folder'}".`
  );
}

/**
 * The problem that {@link requireSameInstallation} would report, without binding anything. @returns null if there is
 * none
 */
export async function installationProblem(client: Client, config: Config): Promise<string | null> {
  const stored = await recordedInstallation(client);
  try {
    if (stored !== undefined) compare(config, stored);
    return null;
  } catch (error) {
    if (error instanceof InstallationError) return error.message;
    throw error;
  }
}

/** What the database records, if it has been used. */
export async function recordedInstallation(client: Client): Promise<Installation | undefined> {
  const { rows } = await client.query<{ there: boolean }>(`select to_regclass('installation') is not null as there`);
  return rows[0]?.there === true ? read(client) : undefined;
}

/** Binds a database to the data folder and the secret of the settings, replacing any previous binding. */
export function adoptInstallation(config: Config): Promise<void> {
  return connected(config, (client) =>
    write(client, config, 'do update set folder_id = excluded.folder_id, secret_check = excluded.secret_check'),
  );
}

/** What the database records about its files and its secret. */
export interface Installation {
  readonly folder_id: string;
  readonly secret_check: string;
  /** Empty for the data folder. */
  readonly media_url: string;
  /** Where files are being moved. */
  readonly media_target: string | null;
}

async function connected<T>(config: Config, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new DatabaseClient({
    ...clientConfig(directUrl(config)),
    connectionTimeoutMillis: config.databaseConnectTimeoutMs,
  });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function read(client: Client): Promise<Installation | undefined> {
  const { rows } = await client.query<Installation>(
    'select folder_id, secret_check, media_url, media_target from installation',
  );
  return rows[0];
}

/** One process at a time, since processes on several machines have different ids until one is recorded. */
async function bind(
  client: Client,
  config: Config,
  claim: (id: string) => Promise<void>,
): Promise<Installation | undefined> {
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [LOCK]);
  try {
    if ((await read(client)) === undefined) {
      await claim(ownFolderId(config));
      await write(client, config, 'do nothing');
    }
    return await read(client);
  } finally {
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [LOCK]);
  }
}

const ownFolderId = ({ dataDir }: Config): string => readFolderId(dataDir) ?? makeFolderId(dataDir);

async function write(client: Client, config: Config, onConflict: string): Promise<void> {
  await client.query(
    `insert into installation (folder_id, secret_check, media_url) values ($1, $2, $3) on conflict (id) ${onConflict}`,
    [ownFolderId(config), secretCheck(config), config.media.url],
  );
}

function compare(config: Config, installation: Installation): void {
  requireOwnFolder(config, installation);
  if (secretCheck(config) !== installation.secret_check)
    throw new InstallationError(
      'The database belongs to another SECRET_KEY, so its encrypted values cannot be read. Set SECRET_KEY to the value ' +
        `that the other servers use, or unset it if they do not set it. If the key is lost, ${ADOPT} and enter the secrets again.`,
    );
}

/** @throws InstallationError if the files of the installation are in the data folder, but not in that of the settings */
export function requireOwnFolder(
  config: Pick<Config, 'dataDir'>,
  { folder_id: folderId, media_url: url, media_target: target }: Omit<Installation, 'secret_check'>,
): void {
  if (url !== '' && target !== '') return;
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
}

/** A key derived from the secret, to compare it without revealing it. */
export const secretCheck = (config: Config): string => new ServerSecret(config).keyFor('installation').toString('hex');

/** @returns undefined if the data folder belongs to no installation yet */
export function readFolderId(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, FILE), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The id in a data folder, which is created if it has none. */
export function makeFolderId(folder: string): string {
  const path = join(folder, FILE);
  createOnce(path, `${randomUUID()}\n`);
  return readFileSync(path, 'utf8').trim();
}
