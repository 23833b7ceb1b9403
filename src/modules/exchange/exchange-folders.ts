import { madeFolder } from '../../core/made-folder.js';
import { randomUUID } from 'node:crypto';
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Clock } from '../../core/clock.js';
import { ZipSink } from '../../engines/annotations/formats/zip.js';
import { Chore, type RequestContext, type RequestResult } from '../requests/index.js';
import { ExchangeClouds } from './exchange-clouds.js';
import { toRequestFailure } from './exchange-requests.js';
import type { UploadLocation } from './exchange-target.js';

const HOUR_MS = 3_600_000;
/** Longer than a finished export can be downloaded. */
const EXPORT_LIFE_MS = 48 * HOUR_MS;
/** For unfinished uploads. */
const IMPORT_LIFE_MS = 48 * HOUR_MS;

/**
 * The folders of exports and imports, below the data folder. `exports/<uuid>.zip`: files to download.
 * `imports/<object>-<user>/<uuid>`: what a user uploaded to an object, or as a backup, until it is read.
 */
@Injectable()
export class ExchangeFolders implements OnModuleInit {
  private readonly exports: string;
  private readonly imports: string;
  private searchedAt = 0;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly clock: Clock,
  ) {
    this.exports = join(config.dataDir, 'exports');
    this.imports = join(config.dataDir, 'imports');
  }

  async onModuleInit(): Promise<void> {
    await madeFolder(this.exports);
    await madeFolder(this.imports);
  }

  /** The path of a new export. */
  async newExport(): Promise<string> {
    return join(await madeFolder(this.exports), `${randomUUID()}.zip`);
  }

  /** The folder of a user's uploads to an object. */
  async uploads(location: UploadLocation, userId: number): Promise<string> {
    const folder = join(this.imports, `${location.folder}-${userId}`);
    return madeFolder(folder);
  }

  /** Removes files left by crashes and abandoned uploads, once an hour. */
  @Chore()
  async tidy(): Promise<void> {
    const now = this.clock.now().getTime();
    if (now < this.searchedAt + HOUR_MS) return;
    this.searchedAt = now;
    await removeOlder(this.exports, now - EXPORT_LIFE_MS);
    for (const name of await readdir(await madeFolder(this.imports))) {
      const folder = join(this.imports, name);
      await removeOlder(folder, now - IMPORT_LIFE_MS);
      await rmdir(folder).catch(() => undefined); // still in use
    }
  }
}

/** Writes the archives of exports and backups. */
@Injectable()
export class ExportedArchives {
  constructor(
    private readonly folders: ExchangeFolders,
    private readonly clouds: ExchangeClouds,
    private readonly clock: Clock,
  ) {}

  /**
   * Writes an archive, and makes it available for download or uploads it to the cloud storage. An incomplete archive is
   * removed.
   * @param fill also receives the path of a temporary file, which it removes
   * @throws RequestFailure if the user can act on the error
   */
  async write(
    request: RequestContext,
    fill: (sink: ZipSink, scratch: string) => Promise<void>,
  ): Promise<RequestResult> {
    const file = await this.folders.newExport();
    const sink = new ZipSink(file, this.clock.now());
    try {
      await fill(sink, `${file}.manifest`);
      await sink.close();
      return await this.clouds.deliver(request, file);
    } catch (error) {
      await sink.discard();
      throw toRequestFailure(error, request);
    }
  }
}

async function removeOlder(folder: string, time: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const info = await stat(path).catch(() => undefined);
    if (info !== undefined && info.isFile() && info.mtimeMs < time) await rm(path, { force: true });
  }
}
