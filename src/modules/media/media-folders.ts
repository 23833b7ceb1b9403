import { madeFolder } from '../../core/made-folder.js';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';

/** Of files, for which reading the whole folder is less than looking for each. */
const MANY = 16;

/**
 * Where media lie below the data folder. `uploads/<file id>`: what clients sent and no task is made of yet.
 * `media/<data id>/raw/<path>`: the frames of a task under their names. `media/<data id>/manifest.jsonl`: their list;
 * `media/<data id>/incoming`: what is being fetched from elsewhere;
 * `media/<data id>/video.index`: where the frames of a video are in it.
 * `cache/chunks`: what can be made again from them.
 */
@Injectable()
export class MediaFolders implements OnModuleInit {
  readonly uploads: string;
  readonly media: string;
  readonly chunks: string;

  constructor(@Inject(CONFIG) config: Config) {
    this.uploads = join(config.dataDir, 'uploads');
    this.media = join(config.dataDir, 'media');
    this.chunks = join(config.dataDir, 'cache', 'chunks');
  }

  async onModuleInit(): Promise<void> {
    await this.makeUploads();
    await madeFolder(this.media);
  }

  /** @returns the folder of uploads, which exists now */
  makeUploads(): Promise<string> {
    return madeFolder(this.uploads);
  }

  upload(fileId: string): string {
    return join(this.uploads, fileId);
  }

  data(dataId: number): string {
    return join(this.media, String(dataId));
  }

  /** @param path as `safeMediaPath` gave it */
  raw(dataId: number, path = ''): string {
    return join(this.data(dataId), 'raw', path);
  }

  /** What was fetched from other places and is not yet part of the task. */
  incoming(dataId: number, name = ''): string {
    return join(this.data(dataId), 'incoming', name);
  }

  manifest(dataId: number): string {
    return join(this.data(dataId), 'manifest.jsonl');
  }

  async makeData(dataId: number): Promise<void> {
    await madeFolder(this.data(dataId));
  }

  async removeIncoming(dataId: number): Promise<void> {
    await rm(this.incoming(dataId), { recursive: true, force: true });
  }

  /** Where the frames of a video are. */
  videoIndex(dataId: number): string {
    return join(this.data(dataId), 'video.index');
  }

  /** Those of many that are in a task by now are not asked for one by one. */
  async removeUploads(fileIds: readonly string[]): Promise<void> {
    const there =
      fileIds.length < MANY ? fileIds : intersection(fileIds, await readdir(await madeFolder(this.uploads)));
    for (const fileId of there) await rm(this.upload(fileId), { force: true });
  }

  async removeData(dataId: number): Promise<void> {
    await rm(this.data(dataId), { recursive: true, force: true });
  }
}

function intersection(some: readonly string[], others: readonly string[]): string[] {
  const wanted = new Set(some);
  return others.filter((name) => wanted.has(name));
}
