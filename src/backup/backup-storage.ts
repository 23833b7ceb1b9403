import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../config/config.js';
import { readFolderId } from '../core/database/installation.js';
import { isUpload, type MediaPlace, type OpenObject } from '../core/media-storage/media-place.js';
import { disown, ownerOf, requireOwnBucket } from '../core/media-storage/bucket-owner.js';
import { openBucket, openFolder } from '../core/media-storage/media-places.js';
import { BackupError, FOLDERS } from './backup-format.js';

/** Where the files of an installation are, as its database records. */
export interface StoragePlaces {
  readonly url: string;
  /** Where they are being moved. */
  readonly target: string | null;
}

type StorageSettings = Pick<Config, 'dataDir' | 'media'>;

/** The files of an installation that is backed up. They may be moved to another place meanwhile. */
export class BackupStorage {
  private readonly opened = new Map<string, MediaPlace>();

  /** @param recorded reads the places from the database */
  constructor(
    private readonly settings: StorageSettings,
    private readonly recorded: () => Promise<StoragePlaces>,
  ) {}

  /** Yields the keys of all files below a folder, once each. @param folder ends with `/` */
  async *list(folder: string): AsyncGenerator<string> {
    const places = await this.places();
    const seen = new Set<string>();
    for (const place of places)
      for await (const { key } of place.list(folder)) {
        if (places.length > 1 && seen.has(key)) continue;
        if (places.length > 1) seen.add(key);
        yield key;
      }
  }

  /** @returns undefined if there is no such file */
  async open(key: string): Promise<OpenObject | undefined> {
    // A file that is moved between two looks is in the other place.
    return (await this.find(key)) ?? (await this.find(key));
  }

  private async find(key: string): Promise<OpenObject | undefined> {
    for (const place of await this.places()) {
      const found = isUpload(key) ? await openUpload(place, key) : await place.open(key);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private async places(): Promise<readonly MediaPlace[]> {
    const { url, target } = await this.recorded();
    return [...(target === null ? [] : [target]), url].map((each) => {
      const place = this.opened.get(each) ?? openPlace(each, this.settings);
      this.opened.set(each, place);
      return place;
    });
  }
}

const openPlace = (url: string, settings: StorageSettings): MediaPlace =>
  url === '' ? openFolder(settings) : openBucket(url, settings).place;

/** Uploads grow: what comes after their length has been read does not belong to the backup. */
async function openUpload(place: MediaPlace, key: string): Promise<OpenObject | undefined> {
  const info = await place.info(key);
  if (info === undefined || info.bytes === 0) return info && { bytes: 0, stream: Readable.from([]) };
  const opened = await place.open(key);
  return opened && { bytes: info.bytes, stream: Readable.from(firstBytes(opened.stream, info.bytes)) };
}

async function* firstBytes(stream: Readable, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}

/** Where the files of a backup are restored. */
export interface RestoreStorage {
  /** @throws BackupError if there are files already */
  requireEmpty(): Promise<void>;
  put(key: string, content: Readable): Promise<void>;
  /** Makes all files available. @param id of the restored installation, which owns the storage from now on */
  place(id: string): Promise<void>;
  /** Removes everything that was put. */
  discard(): Promise<void>;
}

/** The storage of the settings: the data folder, or the bucket of MEDIA_URL. */
export const openRestoreStorage = (settings: StorageSettings): RestoreStorage =>
  settings.media.url === '' ? new RestoredFolder(settings.dataDir) : new RestoredBucket(settings);

const STAGING = '.restore-';

/** Files are written next to their place, so that a restore that ends early leaves nothing that a server would use. */
export class RestoredFolder implements RestoreStorage {
  private staging: string | undefined;
  private readonly placed: string[] = [];

  constructor(private readonly root: string) {}

  async requireEmpty(): Promise<void> {
    for (const folder of FOLDERS) {
      const names = await readdir(join(this.root, folder)).catch(nothingIfMissing);
      if (names.length > 0)
        throw new BackupError(
          `The data folder is not empty: ${join(this.root, folder)} contains ${names[0]}. Set DATA_DIR to a new folder.`,
        );
    }
    for (const name of await readdir(this.root))
      if (name.startsWith(STAGING)) await this.removeStaged(join(this.root, name));
  }

  async put(key: string, content: Readable): Promise<void> {
    this.staging ??= await mkdtemp(join(this.root, STAGING));
    try {
      await makeFolders(this.staging, dirname(key));
      const path = join(this.staging, key);
      await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
    } catch (error) {
      throw this.disturbed(error);
    }
  }

  async place(): Promise<void> {
    const { staging } = this;
    if (staging === undefined) return;
    try {
      for (const folder of await readdir(staging)) {
        const target = join(this.root, folder);
        await rename(join(staging, folder), target); // replaces an empty folder, but no other one
        this.placed.push(target);
      }
    } catch (error) {
      throw this.disturbed(error);
    }
    await rm(staging, { recursive: true, force: true });
  }

  /**
   * A restore that ended early has left it. If that one is still running, with another database, it loses all files at
   * once, which it notices.
   */
  private async removeStaged(path: string): Promise<void> {
    const removed = join(this.root, `${STAGING}removed-${randomUUID()}`);
    await rename(path, removed);
    await rm(removed, { recursive: true, force: true });
  }

  private disturbed(error: unknown): unknown {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return error;
    return new BackupError(
      `Another process has changed the data folder ${this.root} during the restore. Nothing was restored.`,
    );
  }

  async discard(): Promise<void> {
    for (const path of [...this.placed, ...(this.staging === undefined ? [] : [this.staging])])
      await rm(path, { recursive: true, force: true });
  }
}

/** Below this folder is one object for each restore that is running. */
const CLAIMS = 'restoring/';

/** Nothing refers to the objects before the rows are committed. */
class RestoredBucket implements RestoreStorage {
  private readonly bucket: MediaPlace;
  private readonly claim = `${CLAIMS}${randomUUID()}`;
  private isClaimed = false;
  private isOurs = false;
  private wasOwned = false;
  private isPlaced = false;

  constructor(private readonly settings: StorageSettings) {
    this.bucket = openBucket(settings.media.url, settings).place;
  }

  async requireEmpty(): Promise<void> {
    const { url } = this.settings.media;
    await this.requireAlone();
    const owner = await ownerOf(this.bucket);
    if (owner !== undefined && owner !== readFolderId(this.settings.dataDir))
      throw new BackupError(`${url} belongs to another installation. Set MEDIA_URL to another prefix.`);
    for (const folder of FOLDERS)
      for await (const { key } of this.bucket.list(`${folder}/`))
        throw new BackupError(`${url} is not empty: it contains ${key}. Set MEDIA_URL to another prefix.`);
    this.wasOwned = owner !== undefined;
    this.isOurs = true;
  }

  /** Restores into other databases do not see the lock in this one. Of two that begin together, both may be refused. */
  private async requireAlone(): Promise<void> {
    const { url } = this.settings.media;
    this.isClaimed = true;
    await this.bucket.put(this.claim, Buffer.from('A restore is running.\n'));
    for await (const { key } of this.bucket.list(CLAIMS))
      if (key !== this.claim)
        throw new BackupError(
          `Another restore into ${url} is running. If it was killed, delete the object ${key} there, or set MEDIA_URL to ` +
            'another prefix.',
        );
  }

  async put(key: string, content: Readable): Promise<void> {
    const scratch = await mkdtemp(join(this.settings.dataDir, STAGING));
    try {
      const file = join(scratch, 'file');
      await pipeline(content, createWriteStream(file, { mode: 0o600 }));
      await this.bucket.putFile(key, file);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  async place(id: string): Promise<void> {
    await requireOwnBucket(this.bucket, id);
    this.isPlaced = true;
    await this.bucket.remove(this.claim);
  }

  async discard(): Promise<void> {
    if (this.isOurs) {
      for (const folder of FOLDERS) await this.bucket.removeFolder(`${folder}/`);
      if (this.isPlaced && !this.wasOwned) await disown(this.bucket);
    }
    if (this.isClaimed) await this.bucket.remove(this.claim);
  }
}

/** Makes folders below one that must exist. */
async function makeFolders(root: string, path: string): Promise<void> {
  let folder = root;
  for (const name of path.split('/')) {
    folder = join(folder, name);
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

function nothingIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}
