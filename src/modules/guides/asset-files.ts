import { constants, copyFile, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Contents of assets: `assets/<uuid>/file` below the data folder. They never change. */
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
    await mkdir(this.folder, { recursive: true });
  }

  /** @returns undefined when there is no file */
  async read(uuid: string): Promise<Buffer | undefined> {
    return readFile(this.path(uuid)).catch(unlessMissing);
  }

  /** On the disk when it returns, so that a row may say that it is there. */
  async write(uuid: string, content: Buffer): Promise<void> {
    await mkdir(join(this.folder, uuid), { recursive: true });
    const file = await open(this.path(uuid), 'w');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** @returns false when there is nothing to copy */
  async copy(from: string, to: string): Promise<boolean> {
    await mkdir(join(this.folder, to), { recursive: true });
    const done = await copyFile(this.path(from), this.path(to), constants.COPYFILE_FICLONE)
      .then(() => true)
      .catch(unlessMissing);
    return done === true;
  }

  /** What cannot be removed now is found by the housekeeping. */
  removeLater(uuids: readonly string[]): void {
    this.remove(uuids).catch((error: unknown) => this.log.warn({ err: error, uuids }, 'cannot remove assets yet'));
  }

  async remove(uuids: readonly string[]): Promise<void> {
    for (const uuid of uuids) await rm(join(this.folder, uuid), { recursive: true, force: true });
  }

  /** Those that were made before. */
  async madeBefore(date: Date): Promise<string[]> {
    const old: string[] = [];
    for (const name of await readdir(this.folder)) {
      const info = UUID.test(name) ? await stat(join(this.folder, name)).catch(unlessMissing) : undefined;
      if (info !== undefined && info.mtime < date) old.push(name);
    }
    return old;
  }

  private path(uuid: string): string {
    return join(this.folder, uuid, 'file');
  }
}

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}
