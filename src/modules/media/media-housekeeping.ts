import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { BeforeDeleting, type Cascade } from '../../core/events/cascades.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { MediaStorage } from '../../core/media-storage/media-storage.js';
import { UpkeepEvery } from '../../core/worker/workers.js';
import { removeAbandoned } from '../../engines/media/temporary.js';
import { MediaDataRepository } from './media-data.repository.js';
import { MediaFolders } from './media-files.js';
import { ChunkStore } from './reading/chunk-store.js';
import { MediaUploadRepository } from './upload/media-upload.repository.js';

const HOUR_MS = 3_600_000;
/** Age at which incomplete uploads are removed. */
const UPLOAD_LIFE_MS = 12 * HOUR_MS;
/** Age at which files without a row are removed. */
const UNKNOWN_LIFE_MS = 48 * HOUR_MS;
const DAY_MS = 24 * HOUR_MS;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes the files of deleted tasks, and abandoned uploads. */
@Injectable()
export class MediaHousekeeping {
  constructor(
    private readonly db: Db,
    private readonly data: MediaDataRepository,
    private readonly uploads: MediaUploadRepository,
    private readonly storage: MediaStorage,
    private readonly folders: MediaFolders,
    private readonly chunks: ChunkStore,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Removes incomplete uploads, and unreferenced rows and files, which only crashes leave behind. */
  @UpkeepEvery({ name: 'clean-up of media', everyMs: HOUR_MS, kind: 'requests' })
  async tidy(): Promise<void> {
    const now = this.clock.now();
    const givenUp = new Date(now.getTime() - UPLOAD_LIFE_MS);
    await this.folders.removeUploads(await this.uploads.deleteUnfinished(this.db, givenUp));
    await this.removeAll(await this.data.orphans(this.db));
    await this.removeUnknownUploads(givenUp);
    await removeAbandoned(new Date(now.getTime() - HOUR_MS));
  }

  /**
   * Removes files in a bucket that belong to no task, which only crashes leave behind. In a data folder they are kept, since
   * they may belong to another database.
   */
  @UpkeepEvery({ name: 'clean-up of the bucket', everyMs: DAY_MS, kind: 'requests' })
  async tidyBucket(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - UNKNOWN_LIFE_MS);
    await this.storage.removeAbandoned(before);
    if (await this.storage.writesFolder()) return;
    const ids = [...(await this.storage.names('media/'))].map(Number).filter(Number.isInteger);
    const known = await this.data.known(this.db, ids);
    for (const id of ids) if (!known.has(id)) await this.removeIfOld(id, before);
  }

  /** Files of a task are stored before its rows. */
  private async removeIfOld(id: number, before: Date): Promise<void> {
    for await (const { modified } of this.storage.each(`media/${id}/`)) if (modified >= before) return;
    await this.folders.removeData(id);
  }

  /** Removes rows and files after the commit, because the events of the deletion still need the rows. */
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
   * Deletes the rows last: until then they record what remains to be removed. Folders without a row are kept, since
   * they may belong to another database.
   */
  private async removeAll(dataIds: readonly number[]): Promise<void> {
    for (const id of dataIds) {
      await this.chunks.forget(id);
      await this.folders.removeData(id);
    }
    await this.data.deleteOrphans(this.db, dataIds);
  }

  /** Files are written before their rows are, so only old files are checked. */
  private async removeUnknownUploads(before: Date): Promise<void> {
    const old = new Map<string, string>();
    for (const { key, modified } of (await this.storage.list('uploads/')).values()) {
      const fileId = key.slice('uploads/'.length);
      if (UUID.test(fileId) && modified < before) old.set(fileId, key);
    }
    const known = await this.uploads.known(this.db, [...old.keys()]);
    await this.storage.remove(...[...old].flatMap(([fileId, key]) => (known.has(fileId) ? [] : [key])));
  }
}
