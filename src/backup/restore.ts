import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Client } from 'pg';
import type { Config } from '../config/config.js';
import type { Extension } from '../core/extensions/load-extensions.js';
import { FILE as INSTALLATION, makeFolderId, secretCheck } from '../core/database/installation.js';
import { migrate } from '../migrate.js';
import { type ArchiveEntry, contentOf, damaged, notABackup, parsed, readArchive } from './archive-reader.js';
import {
  BackupError,
  type BackupHeader,
  type BackupManifest,
  DATABASE,
  FILES,
  FORMAT,
  FORMAT_VERSION,
  HEADER,
  isSafeKey,
  MANIFEST,
  SECRET,
} from './backup-format.js';
import { connect } from './database-snapshot.js';
import type { RestoreStorage } from './backup-storage.js';
import { DatabaseLoader, lockDatabase, placeMedia, prepareSchema } from './database-loader.js';

export interface RestoreOptions {
  /** With the URL of a running, empty database. */
  readonly config: Config;
  readonly extensions: readonly Extension[];
  readonly storage: RestoreStorage;
  readonly source: Readable;
  /** Whether the installation gets another secret, which cannot decrypt what is encrypted in the database. */
  readonly newSecret: boolean;
  readonly webhooks: boolean;
}

export interface RestoreResult {
  readonly header: BackupHeader;
  readonly manifest: BackupManifest;
  /** Names of the migrations that brought the schema up to date. */
  readonly migrated: readonly string[];
}

/**
 * Restores a backup into an empty database and an empty storage. It takes effect when the whole archive has been read and
 * its checksums have been compared; after an error, nothing remains.
 * @throws BackupError
 */
export async function restore(options: RestoreOptions): Promise<RestoreResult> {
  // Before the storage is looked at: what another restore has written there must stay.
  const client = await lockDatabase(options.config.databaseUrl);
  const restoring = new Restore(options, client);
  try {
    return await restoring.run();
  } catch (error) {
    await restoring.discard();
    throw error;
  } finally {
    await client.end().catch(() => undefined); // an open transaction is rolled back
  }
}

class Restore {
  private header: BackupHeader | undefined;
  private manifest: BackupManifest | undefined;
  private loader: DatabaseLoader | undefined;
  /** Files of the data folder that this restore has created. */
  private readonly created: string[] = [];

  constructor(
    private readonly options: RestoreOptions,
    private readonly client: Client,
  ) {}

  async run(): Promise<RestoreResult> {
    const { config, storage, extensions, source, webhooks } = this.options;
    await storage.requireEmpty();
    const manifest = await this.takeAll(readArchive(source));
    const loader = await this.database();
    if (this.header === undefined) throw damaged(HEADER);
    this.created.push(...(await missing(config.dataDir, INSTALLATION)));
    const folderId = makeFolderId(config.dataDir);
    const exports = join(config.dataDir, 'exports');
    await loader.complete(manifest, {
      folderId,
      secretCheck: secretCheck(config),
      mediaUrl: config.media.url,
      exports,
      webhooks,
    });
    await storage.place(folderId);
    await loader.commit();
    const migrated = await migrate(config, extensions);
    if (migrated.length > 0) await placeMediaAfter(config);
    return { header: this.header, manifest, migrated };
  }

  async discard(): Promise<void> {
    await this.options.storage.discard();
    for (const path of this.created) await rm(path, { force: true });
  }

  private async takeAll(archive: ReturnType<typeof readArchive>): Promise<BackupManifest> {
    for await (const entry of archive)
      await this.take(entry).catch((error: unknown) => {
        throw entry.problem() ?? error;
      });
    if (this.manifest === undefined) throw damaged(MANIFEST);
    return this.manifest;
  }

  private async take(entry: ArchiveEntry): Promise<void> {
    const { name, content } = entry;
    if (this.header === undefined) return this.takeHeader(entry);
    if (name === MANIFEST) {
      this.manifest = parsed(MANIFEST, await contentOf(entry)) as BackupManifest;
      return;
    }
    if (name === SECRET) return this.takeSecret(await contentOf(entry));
    if (name.startsWith(DATABASE)) return (await this.database()).load(name, await contentOf(entry));
    if (!name.startsWith(FILES)) throw damaged(name);
    const key = name.slice(FILES.length);
    if (!isSafeKey(key)) throw damaged(name);
    await this.options.storage.put(key, content);
  }

  private async takeHeader(entry: ArchiveEntry): Promise<void> {
    if (entry.name !== HEADER) throw notABackup();
    const header = parsed(HEADER, await contentOf(entry)) as BackupHeader;
    if (header.format !== FORMAT) throw notABackup();
    if (header.version > FORMAT_VERSION)
      throw new BackupError(`The backup was made by a newer version of Cairn (${header.cairn}).`);
    this.header = header;
  }

  private async takeSecret(content: Buffer): Promise<void> {
    const { config, newSecret } = this.options;
    if (config.secretKey !== '' || newSecret) return;
    const path = join(config.dataDir, SECRET);
    const present = await readFile(path).catch(() => undefined);
    if (present?.equals(content) === true) return;
    if (present !== undefined)
      throw new BackupError(`${path} is the key of another installation. Set DATA_DIR to a new folder.`);
    await writeFile(path, content, { mode: 0o600, flag: 'wx', flush: true });
    this.created.push(path);
  }

  /** Called after the secret, which comes before all rows. */
  private async database(): Promise<DatabaseLoader> {
    if (this.loader !== undefined) return this.loader;
    const { config, extensions, newSecret } = this.options;
    if (this.header === undefined) throw damaged(HEADER);
    if (config.secretKey === '') this.created.push(...(await missing(config.dataDir, SECRET))); // created if it is missing
    if (!newSecret && secretCheck(config) !== this.header.secretCheck)
      throw new BackupError(
        'The backup belongs to another secret key, so its encrypted values could not be read. Set SECRET_KEY to the value of the ' +
          `installation that was backed up or, if it had none, copy the file ${SECRET} of its data folder to ${config.dataDir}. ` +
          'If the key is lost, add --new-secret and enter the secrets again.',
      );
    await prepareSchema(config, extensions, this.header);
    this.loader = await DatabaseLoader.open(this.client, this.header);
    return this.loader;
  }
}

/** The schema of an older backup does not record where files are. */
async function placeMediaAfter({ databaseUrl, media }: Config): Promise<void> {
  const client = await connect(databaseUrl);
  try {
    await placeMedia(client, media.url);
  } finally {
    await client.end();
  }
}

/** @returns the path of a file that is not there */
async function missing(folder: string, name: string): Promise<string[]> {
  const path = join(folder, name);
  return access(path).then(
    () => [],
    () => [path],
  );
}
