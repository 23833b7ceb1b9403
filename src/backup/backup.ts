import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Config } from '../config/config.js';
import { packageVersion } from '../config/version.js';
import { requireOwnFolder } from '../core/database/installation.js';
import { ArchiveWriter, json } from './archive-writer.js';
import {
  BackupError,
  type BackupHeader,
  FILES,
  FORMAT,
  FORMAT_VERSION,
  HEADER,
  isSafeKey,
  MAX_NAMED,
  SECRET,
  tableEntry,
} from './backup-format.js';
import { DatabaseSnapshot, type Reference } from './database-snapshot.js';
import { BackupStorage } from './backup-storage.js';

export interface BackupOptions {
  /** With the URL of the running database. */
  readonly config: Pick<Config, 'databaseUrl' | 'dataDir' | 'media'>;
  /** Whether the database stops after this backup, so that no other one may use it. Default: false. */
  readonly runsDatabase?: boolean;
  /** Receives the archive, and is ended. */
  readonly target: Writable;
  /** Whether to include the secret key of the data folder. */
  readonly secretKey: boolean;
  /** Called with a sentence now and then. */
  readonly onProgress?: (text: string) => void;
}

export interface BackupResult {
  readonly created: string;
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
  /** Keys of files that should exist, at most {@link MAX_NAMED}. */
  readonly missing: readonly string[];
  readonly missingCount: number;
  readonly includesSecretKey: boolean;
}

/**
 * Writes a backup of a running installation: the database as it was at one time, and all files that it refers to. Files
 * never change, and are not removed while the backup runs.
 * @throws BackupError
 */
export async function backUp(options: BackupOptions): Promise<BackupResult> {
  const snapshot = await DatabaseSnapshot.open(options.config.databaseUrl, options.runsDatabase);
  const archive = await ArchiveWriter.open(options.target);
  try {
    const result = await new Backup(options, snapshot, archive).run();
    await archive.close();
    return result;
  } catch (error) {
    await archive.close(error);
    throw error;
  } finally {
    await snapshot.close();
  }
}

class Backup {
  private rows = 0;
  private files = 0;
  private bytes = 0;
  private readonly missing: string[] = [];
  private missingCount = 0;
  private readonly storage: BackupStorage;

  constructor(
    private readonly options: BackupOptions,
    private readonly snapshot: DatabaseSnapshot,
    private readonly archive: ArchiveWriter,
  ) {
    this.storage = new BackupStorage(options.config, () => snapshot.places());
  }

  async run(): Promise<BackupResult> {
    const { snapshot, archive } = this;
    const header: BackupHeader = {
      format: FORMAT,
      version: FORMAT_VERSION,
      cairn: packageVersion(),
      ...(await snapshot.describe()),
    };
    requireOwnFolder(this.options.config, await snapshot.installation());
    await archive.add(HEADER, json(header));
    const includesSecretKey = this.options.secretKey && (await this.addSecretKey());
    const rows: Record<string, number> = {};
    for (const table of header.tables) rows[table.name] = await this.addTable(table);
    const sequences = await snapshot.sequences();
    const references = await snapshot.references();
    await snapshot.release();
    this.say(`${this.rows} rows of ${header.tables.length} tables`);
    for (const reference of references) await this.addReference(reference);
    await snapshot.requireHeld();
    const { files, bytes, missing, missingCount } = this;
    await archive.finish({ rows, sequences, files, bytes, missing });
    return { created: header.created, rows: this.rows, files, bytes, missing, missingCount, includesSecretKey };
  }

  private async addSecretKey(): Promise<boolean> {
    const content = await readFile(join(this.options.config.dataDir, SECRET)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (content === undefined) return false;
    await this.archive.add(SECRET, content);
    return true;
  }

  private async addTable(table: BackupHeader['tables'][number]): Promise<number> {
    let [rows, part] = [0, 0];
    for await (const { content, rows: more } of this.snapshot.parts(table)) {
      await this.archive.add(tableEntry(table.name, part++), content);
      rows += more;
    }
    this.rows += rows;
    return rows;
  }

  private async addReference({ key, movedTo, isOptional }: Reference): Promise<void> {
    if (key.endsWith('/')) {
      for await (const each of this.storage.list(key)) await this.addFile(each);
      return;
    }
    if (await this.addFile(key)) return;
    // Tasks are created while the backup runs, which moves their uploads.
    if (movedTo !== undefined && ((await this.addFile(movedTo, key)) || (await this.addFile(key)))) return;
    if (isOptional) return;
    this.missingCount += 1;
    if (this.missing.length < MAX_NAMED) this.missing.push(key);
  }

  /** @param as the key in the backup; @returns false if there is no such file */
  private async addFile(key: string, as = key): Promise<boolean> {
    if (!isSafeKey(key)) throw new BackupError(`The name of the file ${JSON.stringify(key)} cannot be stored.`);
    const opened = await this.storage.open(key);
    if (opened === undefined) return false;
    await this.archive.addStream(FILES + as, opened.bytes, opened.stream);
    this.files += 1;
    this.bytes += opened.bytes;
    if (this.files % REPORT_EVERY === 0) this.say(`${this.files} files, ${(this.bytes / 2 ** 30).toFixed(1)} GB`);
    return true;
  }

  private say(text: string): void {
    this.options.onProgress?.(text);
  }
}

const REPORT_EVERY = 10_000;
