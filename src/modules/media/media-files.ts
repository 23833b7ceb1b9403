import { createReadStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { ensureFolder } from '../../core/ensure-folder.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { type LocalFiles, MediaStorage } from '../../core/media-storage/media-storage.js';
import { naming } from '../../engines/media/image-source.js';
import { MediaError, missingFile } from '../../engines/media/media-error.js';
import { ObjectStorageError } from '../../engines/object-storage/object-storage-error.js';
import { CloudBuckets } from '../cloudstorages/index.js';
import { ShareFiles } from '../share/index.js';

/** From this number of files on, listing all uploads costs less than checking for each file. */
const MANY = 16;

/** The key of an uploaded file in the storage. */
export const uploadedKey = (fileId: string): string => `uploads/${fileId}`;
/** The key of a video's index. */
export const videoIndexKey = (dataId: number): string => `media/${dataId}/video.index`;
const rawKey = (dataId: number, path: string): string => `media/${dataId}/raw/${path}`;
const folderKey = (dataId: number): string => `media/${dataId}/`;

/**
 * The files of tasks. Keys in the storage, and paths below the folder in which a process creates a task:
 * - `uploads/<file id>`: files that clients uploaded, until their task is created
 * - `media/<data id>/raw/<path>`: the frames of a task, by name
 * - `media/<data id>/manifest.jsonl`: the list of frames
 * - `media/<data id>/video.index`: the positions of the frames in a video
 * - `media/<data id>/incoming`: downloads in progress, only on the machine that creates the task
 *
 * A task is created in a folder of this machine, between `begin` and `publish`. If the storage is the data folder, that is
 * also where its files stay.
 */
@Injectable()
export class MediaFolders implements OnModuleInit {
  /** The folders of tasks that this process is creating, by data id. */
  private readonly begun = new Map<number, string>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly storage: MediaStorage,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** For administrators who look for the files of an installation that has none yet. */
  async onModuleInit(): Promise<void> {
    if (this.config.media.url !== '') return;
    for (const name of ['assets', 'exports', 'imports', 'media', 'uploads'])
      await ensureFolder(join(this.config.dataDir, name));
  }

  /** Starts, or starts again, to create the files of a task. */
  async begin(dataId: number): Promise<void> {
    const folder = await this.storage.workPath(`media/${dataId}`);
    this.begun.set(dataId, await ensureFolder(folder));
  }

  /** Stores the files of a task. They are read from the storage from now on. */
  async publish(dataId: number): Promise<void> {
    await this.removeIncoming(dataId);
    await this.storage.keepFolder(folderKey(dataId), this.data(dataId));
  }

  /** Call it after `publish`, and after an error. Keeps the files. */
  end(dataId: number): void {
    this.begun.delete(dataId);
  }

  /** The folder of a task that is being created. */
  data(dataId: number): string {
    const folder = this.begun.get(dataId);
    if (folder === undefined) throw new Error(`The files of data ${dataId} are not being created`);
    return folder;
  }

  /** @param path as returned by `safeMediaPath` */
  raw(dataId: number, path = ''): string {
    return join(this.data(dataId), 'raw', path);
  }

  /** Files downloaded from other places that are not part of the task yet. */
  incoming(dataId: number, name = ''): string {
    return join(this.data(dataId), 'incoming', name);
  }

  manifest(dataId: number): string {
    return join(this.data(dataId), 'manifest.jsonl');
  }

  /** The index of frame positions in a video. */
  videoIndex(dataId: number): string {
    return join(this.data(dataId), 'video.index');
  }

  async removeIncoming(dataId: number): Promise<void> {
    await rm(this.incoming(dataId), { recursive: true, force: true });
  }

  /** For many files, first lists all uploads, to skip those that have already been moved to a task. */
  async removeUploads(fileIds: readonly string[]): Promise<void> {
    const there = fileIds.length < MANY ? fileIds : await this.stored(fileIds);
    await this.storage.remove(...there.map(uploadedKey));
  }

  /** Removes files after the commit. Housekeeping removes what an error leaves behind. */
  removeUploadsAfter(tx: Tx, fileIds: readonly string[]): void {
    tx.afterCommit(() => {
      this.removeUploads(fileIds).catch((error: unknown) =>
        this.log.warn({ err: error }, 'cannot remove uploaded files'),
      );
    });
  }

  async removeData(dataId: number): Promise<void> {
    const folder = this.begun.get(dataId);
    this.begun.delete(dataId);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    await this.storage.removeFolder(folderKey(dataId));
  }

  private async stored(fileIds: readonly string[]): Promise<string[]> {
    const names = await this.storage.names('uploads/');
    const found = new Set([...names].map((name) => name.split('.')[0]));
    return fileIds.filter((fileId) => found.has(fileId));
  }
}

/** Where the files of a task's data are stored. */
export interface MediaLocation {
  readonly dataId: number;
  /** `local`: in the storage of the installation; `share` and `cloud_storage`: there, under the paths of the frames. */
  readonly storage: string;
  /** Null for other storage types, and for a deleted cloud storage. */
  readonly cloudStorageId: number | null;
}

/** Maximum size of an image that is read into memory. */
const MAX_BYTES = 2 ** 30;

/** Reads the frames and context images of tasks from any storage. */
@Injectable()
export class MediaFiles {
  constructor(
    private readonly storage: MediaStorage,
    private readonly share: ShareFiles,
    private readonly db: Db,
    private readonly clouds: CloudBuckets,
  ) {}

  /** Runs `use` with frames as files on this machine, for other processes. */
  async held<T>(use: (media: HeldMedia) => Promise<T>): Promise<T> {
    const media = this.hold();
    try {
      return await use(media);
    } finally {
      await media.release();
    }
  }

  /** As {@link held}; the caller releases the files. */
  hold(): HeldMedia {
    return new HeldMedia(this, this.storage.local());
  }

  /** Reads a frame or context image. @throws MediaError that names it */
  read(location: MediaLocation, path: string): Promise<Buffer> {
    return naming(path, async () => {
      if (location.storage === 'cloud_storage') return this.fetch(location, path);
      const file = await this.pathOf(location, path);
      if (file !== undefined) return readFile(file);
      const content = await this.storage.read(rawKey(location.dataId, path));
      if (content === undefined) throw missingFile(path);
      return content;
    });
  }

  /** Reads a frame or context image in pieces. @throws MediaError that names it */
  async stream(location: MediaLocation, path: string): Promise<Buffer | AsyncIterable<Buffer>> {
    if (location.storage === 'cloud_storage') return this.read(location, path);
    const file = await this.pathOf(location, path);
    if (file !== undefined) return createReadStream(file) as AsyncIterable<Buffer>;
    const opened = await this.storage.open(rawKey(location.dataId, path));
    if (opened === undefined) throw missingFile(path);
    return opened.stream as AsyncIterable<Buffer>;
  }

  /** Returns the path of a file that is permanently on this machine; undefined for files in a bucket. @throws MediaError */
  async pathOf(location: MediaLocation, path: string): Promise<string | undefined> {
    if (location.storage === 'share') return this.share.folder().file(path);
    return this.storage.inFolder(rawKey(location.dataId, path));
  }

  private fetch({ cloudStorageId }: MediaLocation, path: string): Promise<Buffer> {
    return inWords(async () => {
      const { bucket } = await this.clouds.find(this.db, cloudStorageId);
      return bucket.read(path, { most: MAX_BYTES });
    });
  }
}

/** Frames of tasks as files on this machine, until they are released. */
export class HeldMedia {
  constructor(
    private readonly files: MediaFiles,
    private readonly local: LocalFiles,
  ) {}

  /** Returns what another process can read a frame from: its path on this machine, or its bytes. @throws MediaError */
  async locate(location: MediaLocation, path: string): Promise<string | Buffer> {
    return location.storage === 'cloud_storage'
      ? this.files.read(location, path)
      : naming(path, () => this.onDisk(location, path));
  }

  /** Returns the path of a file; files in cloud storages have none. @throws MediaError that names it */
  async onDisk(location: MediaLocation, path: string): Promise<string> {
    if (location.storage === 'cloud_storage') throw new Error(`${path} is in a cloud storage`);
    const file = await this.files.pathOf(location, path);
    if (file !== undefined) return file;
    const copy = await this.local.path(rawKey(location.dataId, path));
    if (copy === undefined) throw missingFile(path);
    return copy;
  }

  /** Returns the path of a file of the installation. */
  path(key: string): Promise<string | undefined> {
    return this.local.path(key);
  }

  release(): Promise<void> {
    return this.local.release();
  }
}

/** @throws MediaError with the storage's error message */
export async function inWords<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ObjectStorageError) throw new MediaError(error.message, { cause: error });
    throw error;
  }
}
