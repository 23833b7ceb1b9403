import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Injectable } from '@nestjs/common';
import { ensureFolder } from '../../core/ensure-folder.js';
import type { ByteRange, OpenObject } from '../../core/media-storage/media-place.js';
import { MediaStorage } from '../../core/media-storage/media-storage.js';
import type { RequestContext } from './background-requests.js';

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

  /** The path at which an attempt writes a file, such as its result. */
  async newPath({ scratch }: Pick<RequestContext, 'scratch'>, extension = ''): Promise<string> {
    const folder = await ensureFolder(await this.storage.workPath('exports'));
    return join(folder, `${scratch}${randomUUID()}${extension}`);
  }

  /** Removes what attempts whose process died have written to this machine. */
  async removeUnfinished(rowId: number): Promise<void> {
    const folder = await this.storage.workPath('exports');
    const names = await readdir(folder).catch(() => []);
    const left = names.filter((name) => name.startsWith(scratchOf(rowId)));
    await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true, force: true })));
  }
}

const keyOf = (name: string): string => `exports/${posix.basename(name)}`;

/** Begins the names of the files that an attempt writes before they are complete. */
export const scratchName = (rowId: number, attempt: number): string => `${scratchOf(rowId)}${attempt}-`;

/** Begins the names of the files of all attempts. */
const scratchOf = (rowId: number): string => `request-${rowId}-`;
