import { readFile } from 'node:fs/promises';
import { MediaError } from '../../engines/media/media-error.js';
import { ObjectStorageError } from '../../engines/object-storage/object-storage-error.js';
import { Injectable } from '@nestjs/common';
import { Db } from '../../core/database/db.js';
import { naming } from '../../engines/media/image-source.js';
import { CloudBuckets } from '../cloudstorages/index.js';
import { ShareFiles } from '../share/index.js';
import { MediaFolders } from './media-folders.js';

/** Where the files of a task's data are stored. */
export interface MediaLocation {
  readonly dataId: number;
  /** `local`: in the data folder; `share` and `cloud_storage`: there, under the paths of the frames. */
  readonly storage: string;
  /** Null for other storage types, and for a deleted cloud storage. */
  readonly cloudStorageId: number | null;
}

/** Maximum size of an image that is read into memory. */
const MOST_BYTES = 2 ** 30;

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
      return bucket.read(path, { most: MOST_BYTES });
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
