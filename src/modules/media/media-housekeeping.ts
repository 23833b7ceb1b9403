import { readdir, stat } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { BeforeDeleting, type Cascade } from '../../core/events/cascades.js';
import { removeAbandoned } from '../../engines/media/temporary.js';
import { Chore } from '../requests/index.js';
import { ChunkStore } from './reading/chunk-store.js';
import { MediaDataRepository } from './media-data.repository.js';
import { MediaFolders } from './media-folders.js';
import { MediaUploadRepository } from './upload/media-upload.repository.js';

const HOUR_MS = 3_600_000;
/** Uploads that nobody finished. */
const UPLOAD_LIFE_MS = 12 * HOUR_MS;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes the files of tasks that are gone, and uploads that were given up. */
@Injectable()
export class MediaHousekeeping {
  private searchedAt = 0;

  constructor(
    private readonly db: Db,
    private readonly data: MediaDataRepository,
    private readonly uploads: MediaUploadRepository,
    private readonly folders: MediaFolders,
    private readonly chunks: ChunkStore,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Removes what nothing refers to: once an hour, for it only finds what a crash left. */
  @Chore()
  async tidy(): Promise<void> {
    const now = this.clock.now();
    const givenUp = new Date(now.getTime() - UPLOAD_LIFE_MS);
    await this.folders.removeUploads(await this.uploads.deleteUnfinished(this.db, givenUp));
    if (now.getTime() < this.searchedAt + HOUR_MS) return;
    this.searchedAt = now.getTime();
    await this.removeAll(await this.data.orphans(this.db));
    await this.removeUnknownUploads(givenUp);
    await removeAbandoned(new Date(now.getTime() - HOUR_MS));
  }

  /** The rows are still needed for the events of the deletion; they and the files go after the commit. */
  @BeforeDeleting('task')
  async onTasks(tx: Tx, { ids }: Cascade): Promise<void> {
    const dataIds = await this.data.idsOfTasks(tx, ids);
    const fileIds = await this.uploads.fileIdsOf(tx, dataIds);
    tx.afterCommit(() => {
      this.remove(dataIds, fileIds).catch((error: unknown) =>
        this.log.warn({ err: error, data: dataIds }, 'cannot remove the files of deleted tasks yet'),
      );
    });
  }

  private async remove(dataIds: readonly number[], fileIds: readonly string[]): Promise<void> {
    await this.folders.removeUploads(fileIds);
    await this.removeAll(dataIds);
  }

  /**
   * The rows go last: until then they tell what is left to remove. A folder without a row is left alone, for it may be
   * that of another database.
   */
  private async removeAll(dataIds: readonly number[]): Promise<void> {
    for (const id of dataIds) {
      await this.chunks.forget(id);
      await this.folders.removeData(id);
    }
    await this.data.deleteOrphans(this.db, dataIds);
  }

  /** Files come before their rows, so only old ones are looked at. */
  private async removeUnknownUploads(before: Date): Promise<void> {
    const names = (await readdir(await this.folders.makeUploads())).filter((name) => UUID.test(name));
    const known = await this.uploads.known(this.db, names);
    for (const name of names.filter((unknown) => !known.has(unknown))) {
      const info = await stat(this.folders.upload(name)).catch(() => undefined);
      if (info !== undefined && info.mtime < before) await this.folders.removeUploads([name]);
    }
  }
}
