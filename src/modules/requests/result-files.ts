import { posix } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { ByteRange, OpenObject } from '../../core/media-storage/media-place.js';
import { MediaStorage } from '../../core/media-storage/media-storage.js';

/**
 * The files that requests create, `exports/<name>` in the storage. Rows have a path that older servers understand; only its
 * last part matters.
 */
@Injectable()
export class ResultFiles {
  constructor(private readonly storage: MediaStorage) {}

  /** Stores a file that was written to this machine. @returns its name for the row of the request */
  async keep(path: string): Promise<string> {
    const key = keyOf(path);
    await this.storage.keep(key, path);
    return this.storage.nameOf(key);
  }

  /** Its path, if it is in the data folder. */
  inFolder(name: string): Promise<string | undefined> {
    return this.storage.inFolder(keyOf(name));
  }

  /** @returns undefined if there is no such file */
  open(name: string, range?: ByteRange): Promise<OpenObject | undefined> {
    return this.storage.open(keyOf(name), range);
  }

  /** @returns undefined if there is no such file */
  async bytes(name: string): Promise<number | undefined> {
    return (await this.storage.info(keyOf(name)))?.bytes;
  }

  async remove(name: string): Promise<void> {
    await this.storage.remove(keyOf(name));
  }
}

const keyOf = (name: string): string => `exports/${posix.basename(name)}`;
