import { ensureFolder } from '../../core/ensure-folder.js';
import { readdir, rm, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { MediaError } from '../../engines/media/media-error.js';
import { ObjectStorageError } from '../../engines/object-storage/object-storage-error.js';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { naming } from '../../engines/media/image-source.js';
import { CloudBuckets } from '../cloudstorages/index.js';
import { ShareFiles } from '../share/index.js';

/** From this number of files on, reading the whole folder costs less than checking for each file. */
const MANY = 16;

/**
 * Locations of media below the data folder:
 * - `uploads/<file id>`: files that clients uploaded, until their task is created
 * - `media/<data id>/raw/<path>`: the frames of a task, by name
 * - `media/<data id>/manifest.jsonl`: the list of frames
 * - `media/<data id>/incoming`: downloads in progress
 * - `media/<data id>/video.index`: the positions of the frames in a video
 * - `cache/chunks`: everything that can be derived again from these
 */
@Injectable()
export class MediaFolders implements OnModuleInit {
  readonly uploads: string;
  readonly media: string;
  readonly chunks: string;

  constructor(
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.uploads = join(config.dataDir, 'uploads');
    this.media = join(config.dataDir, 'media');
    this.chunks = join(config.dataDir, 'cache', 'chunks');
  }

  async onModuleInit(): Promise<void> {
    await this.makeUploads();
    await ensureFolder(this.media);
  }

  /** @returns the folder of uploads, after creating it */
  makeUploads(): Promise<string> {
    return ensureFolder(this.uploads);
  }

  upload(fileId: string): string {
    return join(this.uploads, fileId);
  }

  data(dataId: number): string {
    return join(this.media, String(dataId));
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

  async makeData(dataId: number): Promise<void> {
    await ensureFolder(this.data(dataId));
  }

  async removeIncoming(dataId: number): Promise<void> {
    await rm(this.incoming(dataId), { recursive: true, force: true });
  }

  /** The index of frame positions in a video. */
  videoIndex(dataId: number): string {
    return join(this.data(dataId), 'video.index');
  }

  /** For many files, first lists the folder, to skip those that have already been moved to a task. */
  async removeUploads(fileIds: readonly string[]): Promise<void> {
    const there =
      fileIds.length < MANY ? fileIds : intersection(fileIds, await readdir(await ensureFolder(this.uploads)));
    for (const fileId of there) await rm(this.upload(fileId), { force: true });
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
    await rm(this.data(dataId), { recursive: true, force: true });
  }
}

function intersection(some: readonly string[], others: readonly string[]): string[] {
  const wanted = new Set(some);
  return others.filter((name) => wanted.has(name));
}

/** Where the files of a task's data are stored. */
export interface MediaLocation {
  readonly dataId: number;
  /** `local`: in the data folder; `share` and `cloud_storage`: there, under the paths of the frames. */
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
    private readonly folders: MediaFolders,
    private readonly share: ShareFiles,
    private readonly db: Db,
    private readonly clouds: CloudBuckets,
  ) {}

  /** Returns what another process can read a frame from: its path on this machine, or its bytes. @throws MediaError */
  async locate(location: MediaLocation, path: string): Promise<string | Buffer> {
    return location.storage === 'cloud_storage'
      ? this.read(location, path)
      : naming(path, () => this.onDisk(location, path));
  }

  /** Reads a frame or context image. @throws MediaError that names it */
  read(location: MediaLocation, path: string): Promise<Buffer> {
    return naming(path, async () =>
      location.storage === 'cloud_storage' ? this.fetch(location, path) : readFile(await this.onDisk(location, path)),
    );
  }

  /** Returns the path of a file on this machine; files in cloud storages have none. @throws MediaError that names it */
  async onDisk(location: MediaLocation, path: string): Promise<string> {
    if (location.storage === 'cloud_storage') throw new Error(`${path} is in a cloud storage`);
    return location.storage === 'share' ? this.share.folder().file(path) : this.folders.raw(location.dataId, path);
  }

  /** Path of the list of a task's frames, or of a video's keyframes. A missing list can be recreated. */
  manifest({ dataId }: MediaLocation): string {
    return this.folders.manifest(dataId);
  }

  private fetch({ cloudStorageId }: MediaLocation, path: string): Promise<Buffer> {
    return inWords(async () => {
      const { bucket } = await this.clouds.find(this.db, cloudStorageId);
      return bucket.read(path, { most: MAX_BYTES });
    });
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
