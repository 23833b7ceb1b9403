import { constants, copyFile, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { BeforeDeleting, type Cascade } from '../../core/events/cascades.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { ensureFolder } from '../../core/ensure-folder.js';
import { UpkeepEvery } from '../../core/worker/workers.js';
import { AssetRepository } from './asset.repository.js';

const HOUR_MS = 3_600_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The contents of assets: `assets/<uuid>/file` in the data folder. They never change. */
@Injectable()
export class AssetFiles implements OnModuleInit {
  private readonly folder: string;

  constructor(
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.folder = join(config.dataDir, 'assets');
  }

  async onModuleInit(): Promise<void> {
    await ensureFolder(this.folder);
  }

  /** @returns undefined if there is no file */
  async read(uuid: string): Promise<Buffer | undefined> {
    return readFile(this.path(uuid)).catch(unlessMissing);
  }

  /** Returns once the file is on disk, so that a row can refer to it. */
  async write(uuid: string, content: Buffer): Promise<void> {
    await ensureFolder(join(this.folder, uuid));
    const file = await open(this.path(uuid), 'w');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** @returns false if there is no file to copy */
  async copy(from: string, to: string): Promise<boolean> {
    await ensureFolder(join(this.folder, to));
    const done = await copyFile(this.path(from), this.path(to), constants.COPYFILE_FICLONE)
      .then(() => true)
      .catch(unlessMissing);
    return done === true;
  }

  /** Files that cannot be removed now are left to `AssetCleaner`. */
  removeLater(uuids: readonly string[]): void {
    this.remove(uuids).catch((error: unknown) =>
      this.log.warn({ err: error, uuids }, 'could not remove the files of assets'),
    );
  }

  async remove(uuids: readonly string[]): Promise<void> {
    for (const uuid of uuids) await rm(join(this.folder, uuid), { recursive: true, force: true });
  }

  /** Ids of the files that were created before a date. */
  async createdBefore(date: Date): Promise<string[]> {
    const old: string[] = [];
    for (const name of await readdir(await ensureFolder(this.folder))) {
      const info = UUID.test(name) ? await stat(join(this.folder, name)).catch(unlessMissing) : undefined;
      if (info !== undefined && info.mtime < date) old.push(name);
    }
    return old;
  }

  private path(uuid: string): string {
    return join(this.folder, uuid, 'file');
  }
}

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

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}
