import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { BeforeDeleting, type Cascade } from '../../core/events/cascades.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { MediaStorage } from '../../core/media-storage/media-storage.js';
import { UpkeepEvery } from '../../core/worker/workers.js';
import { AssetRepository } from './asset.repository.js';

const HOUR_MS = 3_600_000;
const FOLDER = 'assets/';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The contents of assets: `assets/<uuid>/file` in the storage. They never change. */
@Injectable()
export class AssetFiles {
  constructor(
    private readonly storage: MediaStorage,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @returns undefined if there is no file */
  read(uuid: string): Promise<Buffer | undefined> {
    return this.storage.read(keyOf(uuid));
  }

  /** Returns once the file is durable, so that a row can refer to it. */
  write(uuid: string, content: Buffer): Promise<void> {
    return this.storage.put(keyOf(uuid), content);
  }

  /** @returns false if there is no file to copy */
  copy(from: string, to: string): Promise<boolean> {
    return this.storage.copy(keyOf(from), keyOf(to));
  }

  /** Files that cannot be removed now are left to `AssetCleaner`. */
  removeLater(uuids: readonly string[]): void {
    this.remove(uuids).catch((error: unknown) =>
      this.log.warn({ err: error, uuids }, 'could not remove the files of assets'),
    );
  }

  async remove(uuids: readonly string[]): Promise<void> {
    for (const uuid of uuids) await this.storage.removeFolder(`${FOLDER}${uuid}/`);
  }

  /** Ids of the files that were created before a date. */
  async createdBefore(date: Date): Promise<string[]> {
    const old: string[] = [];
    for (const { key, modified } of (await this.storage.list(FOLDER)).values()) {
      const uuid = key.slice(FOLDER.length).split('/')[0] ?? '';
      if (UUID.test(uuid) && modified < date) old.push(uuid);
    }
    return old;
  }
}

const keyOf = (uuid: string): string => `${FOLDER}${uuid}/file`;

/** Removes the files of assets that are deleted with their task or project, and files that a crash has left. */
@Injectable()
export class AssetCleaner {
  constructor(
    private readonly db: Db,
    private readonly assets: AssetRepository,
    private readonly files: AssetFiles,
    private readonly clock: Clock,
  ) {}

  @BeforeDeleting('task')
  async onDeletionOfTasks(tx: Tx, { ids }: Cascade): Promise<void> {
    this.removeAfter(tx, await this.assets.ofTasks(tx, ids));
  }

  @BeforeDeleting('project')
  async onDeletionOfProjects(tx: Tx, { ids }: Cascade): Promise<void> {
    this.removeAfter(tx, await this.assets.ofProjects(tx, ids));
  }

  /** Files are written before their rows, so recent files may not have a row yet. */
  @UpkeepEvery({ name: 'clean-up of assets', everyMs: HOUR_MS, kind: 'requests' })
  async tidy(): Promise<void> {
    const old = await this.files.createdBefore(new Date(this.clock.now().getTime() - HOUR_MS));
    const known = await this.assets.known(this.db, old);
    await this.files.remove(old.filter((uuid) => !known.has(uuid)));
  }

  private removeAfter(tx: Tx, uuids: readonly string[]): void {
    tx.afterCommit(() => this.files.removeLater(uuids));
  }
}
